import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TreeCopy } from './copy-tree.ts';

/** A folder to copy, and a place for the copy. */
function place() {
  const base = mkdtempSync(join(tmpdir(), 'synapse-copy-'));
  mkdirSync(join(base, 'from'));
  const copy = async (signal: AbortSignal): Promise<void> =>
    await new TreeCopy(join(base, 'links'), signal).copy({ folder: base, name: 'from' }, { folder: base, name: 'to' });
  return { at: (path: string) => join(base, path), copy, [Symbol.dispose]: () => rmSync(base, { recursive: true }) };
}

it('stops in the middle of a file, also of one with nothing but a hole', { timeout: 60_000 }, async () => {
  using bench = place();
  writeFileSync(bench.at('from/hole'), '');
  truncateSync(bench.at('from/hole'), 64 * 1024 ** 3);
  const abort = new AbortController();
  const copied = bench.copy(abort.signal);
  setImmediate(() => abort.abort(new Error('enough')));
  await expect(copied).rejects.toThrow('enough');
});

it('copies a large file with its holes and its bytes', async () => {
  using bench = place();
  const content = Buffer.alloc(20 * 1024 ** 2, 'content');
  for (const end of [content.length, 8 * 1024 ** 2]) content.fill(0, end - 1024 ** 2, end);
  for (const name of ['whole', 'sparse']) writeFileSync(bench.at(`from/${name}`), content, { mode: 0o640 });
  truncateSync(bench.at('from/sparse'), 2 * content.length);
  await bench.copy(AbortSignal.timeout(60_000));
  expect(readFileSync(bench.at('to/whole')).equals(content)).toBe(true);
  const sparse = readFileSync(bench.at('to/sparse'));
  expect([sparse.length, sparse.subarray(0, content.length).equals(content), statSync(bench.at('to/sparse')).mode & 0o777]).toEqual([
    2 * content.length,
    true,
    0o640,
  ]);
  expect(statSync(bench.at('to/sparse')).blocks * 512).toBeLessThan(1.5 * content.length);
});
