import { isAppended } from '@synapse/protocol/remote';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readResult } from '../brain/remote-hands.ts';
import { remoteBench, type RemoteBench } from '../fixtures/bench.ts';
import { localIdOf, runCall } from './run-call.ts';

let bench: RemoteBench;
beforeAll(async () => (bench = await remoteBench()));
afterAll(async () => await bench[Symbol.asyncDispose]());

const options = () => ({ signal: new AbortController().signal, onProgress: () => {}, sessionId: 's' });

it.each([
  ['short', 'a', true],
  ['long, with line breaks and quotes', '\t"line"\n'.repeat(300), true],
  ['like JSON', '{"output":"other","isError":true}\n{"ok":false}', true],
  ['with a character beyond ASCII', `${'x'.repeat(5_000)}→`, false],
])('a result whose text is %s is read as it is, after the JSON only by a brain that can read that', async (_, text, mayAppend) => {
  const call = { tool: 'echo', args: { text } };
  const plain = await runCall(bench.hands, call, options());
  const appended = await runCall(bench.hands, { ...call, appends: true }, options());
  expect([isAppended(plain), isAppended(appended)]).toEqual([false, mayAppend]);
  const { output } = JSON.parse(plain.body) as { readonly output: unknown };
  expect(output).toBe(text);
  for (const result of [plain, appended]) {
    expect(result.bytes).toBe(Buffer.byteLength(result.body));
    const read = readResult('echo', 'c', result);
    expect(read).toMatchObject({ isError: false, output, result: { ok: true, data: { text } } });
    expect(localIdOf(result)).toBe(read.result.meta.callId);
  }
});

it('a call that fails answers in the same form', async () => {
  const failed = await runCall(bench.hands, { tool: 'read_file', args: { path: 'nope' }, appends: true }, options());
  expect(failed).toMatchObject({ status: 'error' });
  expect(readResult('read_file', 'c', failed)).toMatchObject({ isError: true, result: { ok: false, error: { code: 'not_found' } } });
});
