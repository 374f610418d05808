import { mkdtemp } from 'node:fs/promises';
import { fdatasync, fdatasyncSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LedgerRow } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { LedgerFile, type Disk } from './ledger-file.ts';

const file = join(await mkdtemp(join(tmpdir(), 'synapse-ledger-')), 'ledger.sqlite');

/** A ledger, and what its journal had, as text, each time that the disk was waited for. */
function open(): { readonly ledger: LedgerFile; readonly waits: string[] } {
  const waits: string[] = [];
  const look = (descriptor: number): void => {
    if (fstatSync(descriptor).ino === statSync(`${file}-wal`).ino) waits.push(readFileSync(`${file}-wal`, 'latin1'));
  };
  const disk: Disk = {
    wait: (descriptor) => {
      look(descriptor);
      fdatasyncSync(descriptor);
    },
    waitLater: async (descriptor) => {
      look(descriptor);
      await promisify(fdatasync)(descriptor);
    },
  };
  return { ledger: new LedgerFile(file, Date.now(), undefined, disk), waits };
}

const started = (id: string): LedgerRow => ({ id, hash: 'h', state: 'started', call: { tool: 'count', args: {} } });
const done = (id: string): LedgerRow => ({ id, hash: 'h', state: 'done', result: { status: 'success', bytes: 1, sha256: 's' } });
const had = (text: string | undefined, ...ids: readonly string[]): readonly boolean[] => ids.map((id) => text?.includes(id) === true);

it('the disk has all rows when a flush returns', () => {
  const { ledger: opened, waits } = open();
  using ledger = opened;
  ledger.put(started('first-call'));
  ledger.put(started('second-call'));
  ledger.flush();
  expect([waits.length, had(waits.at(-1), 'first-call', 'second-call', 'third-call')]).toEqual([1, [true, true, false]]);
  ledger.flush();
  expect(waits.length).toBe(1);
});

it('a result is not waited for, and is on the disk once that is asked for, or with the next call', async () => {
  const { ledger: opened, waits } = open();
  using ledger = opened;
  ledger.put(done('fourth-call'));
  ledger.flushEnded();
  expect(waits.length).toBe(0);
  await ledger.sync();
  expect([waits.length, had(waits.at(-1), 'fourth-call')]).toEqual([1, [true]]);
  // Nothing is new.
  await ledger.sync();
  expect(waits.length).toBe(1);
  ledger.put(done('fifth-call'));
  ledger.flushEnded();
  ledger.put(started('sixth-call'));
  ledger.flush();
  expect([waits.length, had(waits.at(-1), 'fifth-call', 'sixth-call')]).toEqual([2, [true, true]]);
  await ledger.sync();
  expect(waits.length).toBe(2);
});

it('a ledger may be closed while the disk is waited for', async () => {
  const { ledger } = open();
  ledger.put(done('last-call'));
  ledger.flushEnded();
  const syncing = ledger.sync();
  ledger[Symbol.dispose]();
  await expect(syncing).resolves.toBeUndefined();
  await ledger.sync();
  using again = open().ledger;
  expect(again.get('last-call')?.state).toBe('done');
});
