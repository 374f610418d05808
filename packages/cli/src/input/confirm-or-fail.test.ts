import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Output } from '../output/output.ts';
import { confirmOrFail, confirmOrThrow } from './confirm-or-fail.ts';

it('--yes is no answer to a question that comes after Ctrl+C', async () => {
  const err: Output = { isTerminal: false, columns: 100, write: () => {}, show: () => {} };
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const ending = new AbortController();
  const context = { err, stdin, signal: ending.signal, options: { yes: true, json: false } };
  expect(await confirmOrFail('Delete it?', 'nothing was deleted', context)).toBeUndefined();
  ending.abort();
  await expect(confirmOrFail('Delete it?', 'nothing was deleted', context)).rejects.toThrow(/aborted/u);
});

it('says in JSON too that a yes is missing, where nothing was printed before', async () => {
  const said: string[] = [];
  const err: Output = { isTerminal: false, columns: 100, write: (text) => void said.push(text), show: () => {} };
  const context = { err, stdin: process.stdin, signal: new AbortController().signal, options: { yes: false, json: true } };
  await expect(confirmOrThrow('Delete it?', 'nothing was deleted', context)).rejects.toMatchObject({
    code: 'approval_required',
    message: 'This needs a yes, and nothing was deleted.',
    hint: 'Repeat the command with --yes.',
  });
  expect(said).toEqual([]);
  await expect(confirmOrThrow('Delete it?', 'nothing was deleted', { ...context, options: { yes: true, json: true } })).resolves.toBeUndefined();
});
