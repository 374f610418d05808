import { INLINE_BYTES, MAX_FRAME, type DataFrames } from '@synapse/protocol/remote';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LedgerFile } from './ledger-file.ts';
import { MachineReads } from './machine-reads.ts';
import { Spools } from './spool.ts';

/** Bytes that a frame takes besides its text, and by how much sealing makes a text longer. */
const [AROUND, SEALED] = [2_000, 4 / 3];

it.each([
  ['plain', 'x'.repeat(500_000), 9],
  ['of two bytes', 'ä'.repeat(250_000), 9],
  ['of four bytes, with a mark', `\uFEFF${'😀'.repeat(125_000)}`, 9],
  ['escaped', '\u0001'.repeat(500_000), 30],
  ['with escaped parts', `${'x'.repeat(200_000)}${'\\"\n'.repeat(100_000)}`, 15],
])('a result that is %s is read in as few chunks as fit in frames', async (_name, body, most) => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-reads-'));
  using ledger = new LedgerFile(join(folder, 'ledger.sqlite'));
  const bytes = Buffer.byteLength(body);
  expect(bytes).toBeGreaterThan(INLINE_BYTES);
  ledger.put({ id: 'a', hash: 'h', state: 'done', result: { status: 'success', bytes, sha256: 's' } }, body);
  ledger.flush();
  const reads = new MachineReads({ ledger, spools: new Spools(join(folder, 'output')), canAsk: () => false, names: () => [] });
  const read = (from: number, limit: Partial<DataFrames['read']>): readonly DataFrames['chunk'][] => [
    ...reads.chunks({ type: 'read', brain: 'b', of: 'result', name: 'a', from, chunks: 6, ...limit }),
  ];
  for (const limit of [{ most: 400_000 }, {}]) {
    let text = '';
    let chunks = 0;
    for (let from = 0; from < bytes;) {
      const answer = read(from, limit);
      // Who asks waits for the next chunk, until one says that it is the last, or as many came as were asked for.
      expect(answer.map(({ last }) => last)).toEqual(
        'most' in limit ? answer.map((_, index) => (index + 1 === answer.length ? true : undefined)) : answer.map(() => undefined),
      );
      for (const chunk of answer) {
        expect(chunk.from).toBe(from);
        expect(Buffer.byteLength(JSON.stringify(chunk)) * SEALED + AROUND).toBeLessThan(MAX_FRAME);
        from = chunk.next;
        text += chunk.data;
        chunks += 1;
      }
    }
    expect(text).toBe(body);
    if ('most' in limit) expect(chunks).toBeLessThanOrEqual(most);
  }
});
