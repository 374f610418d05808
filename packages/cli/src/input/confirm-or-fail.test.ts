import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Output } from '../output/output.ts';
import { confirmOrFail } from './confirm-or-fail.ts';

it('--yes is no answer to a question that comes after Ctrl+C', async () => {
  const err: Output = { isTerminal: false, columns: 100, write: () => {}, show: () => {} };
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const ending = new AbortController();
  const context = { err, stdin, signal: ending.signal, options: { yes: true, json: false } };
  expect(await confirmOrFail('Delete it?', 'nothing was deleted', context)).toBeUndefined();
  ending.abort();
  await expect(confirmOrFail('Delete it?', 'nothing was deleted', context)).rejects.toThrow(/aborted/u);
});
