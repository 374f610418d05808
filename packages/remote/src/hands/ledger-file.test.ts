import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LedgerFile } from './ledger-file.ts';

const PAGE = 4_096;

/** A ledger of many pages, and where the index of its calls is: nothing reads that at the start. */
async function largeLedger(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite');
  using ledger = new LedgerFile(file);
  for (let count = 0; count < 400; count += 1) {
    ledger.put({ id: `call-${count}`, hash: 'h'.repeat(64), state: 'done' }, 'x'.repeat(500));
  }
  ledger.flush();
  return file;
}

/** Overwrites the last page that holds this id as a key, and not as a part of a row. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const pages = Array.from({ length: statSync(file).size / PAGE }, (_, index) => bytes.subarray(index * PAGE, (index + 1) * PAGE));
  const index = pages.findLastIndex((page) => page.includes('call-') && !page.includes('xxxx'));
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE, 0x5a), 0, PAGE, index * PAGE);
  closeSync(descriptor);
}

it('a ledger that was cut off is looked through: damage is found before anything runs', async () => {
  const file = await largeLedger();
  damage(file);
  writeFileSync(`${file}-wal`, '');
  expect(() => new LedgerFile(file)).toThrow('The ledger of this session is damaged');
});

it('a ledger that was cut off and is whole is opened', async () => {
  const file = await largeLedger();
  writeFileSync(`${file}-wal`, '');
  using ledger = new LedgerFile(file);
  expect(ledger.get('call-399')?.state).toBe('done');
});

it('a ledger that was closed is not looked through: its start does not depend on its size', async () => {
  const file = await largeLedger();
  damage(file);
  using ledger = new LedgerFile(file);
  expect(ledger.id).not.toBe('');
});
