import type { ApprovalRequest, Approver, Hands } from '@synapse/hands';
import {
  handleAiSdk,
  handleAnthropic,
  handleGemini,
  handleOpenAiChat,
  handleOpenAiResponses,
  TOOL_FORMATS,
  type ToolRunner,
} from '@synapse/hands/providers';
import type { CallEvent } from '@synapse/protocol';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, afterAll, expect, it } from 'vitest';
import { pairedBench, type PairedBench } from '../fixtures/paired-bench.ts';
import { AskedHere } from './ask-approver.ts';
import type { RemoteEvent, RemoteHands } from './remote-hands.ts';

let paired: PairedBench;
let local: Hands;
let remote: RemoteHands;

/** Yes to everything, and what was asked. */
function agreeing(): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return { name: 'test', asked, ask: async (request) => (asked.push(request), { verdict: 'allow', scope: 'once' }) };
}

beforeAll(async () => {
  paired = await pairedBench([{ approves: ['write_file', 'edit_file'] }, { approves: [] }]);
  writeFileSync(join(paired.bench.folder, 'a.txt'), 'hello\n');
  // One pixel.
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  writeFileSync(join(paired.bench.folder, 'dot.png'), Buffer.from(png, 'base64'));
  local = paired.bench.hands;
  const [device] = paired.devices;
  if (device === undefined) throw new Error('no device');
  remote = paired.brain(device);
}, 60_000);
afterAll(async () => {
  await remote[Symbol.asyncDispose]();
  await paired[Symbol.asyncDispose]();
});

const read = { path: 'a.txt' };
const call = (name: string, input: unknown) => ({ id: 'c1', type: 'function' as const, function: { name, arguments: JSON.stringify(input) } });

/** The part of an agent after a model's response, with each provider. */
const agents: ReadonlyArray<readonly [string, (hands: ToolRunner) => Promise<unknown>]> = [
  ['Chat Completions', (hands) => handleOpenAiChat(hands, { choices: [{ message: { tool_calls: [call('read_file', read)] } }] })],
  [
    'Responses',
    (hands) =>
      handleOpenAiResponses(hands, { output: [{ type: 'function_call', call_id: 'c1', name: 'read_file', arguments: JSON.stringify(read) }] }),
  ],
  ['Anthropic', (hands) => handleAnthropic(hands, { content: [{ type: 'tool_use', id: 'c1', name: 'read_file', input: read }] })],
  [
    'Anthropic, an image',
    (hands) => handleAnthropic(hands, { content: [{ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'dot.png' } }] }),
  ],
  ['Anthropic, an error', (hands) => handleAnthropic(hands, { content: [{ type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'no' } }] })],
  [
    'Gemini',
    (hands) => handleGemini(hands, { candidates: [{ content: { parts: [{ functionCall: { id: 'c1', name: 'read_file', args: read } }] } }] }),
  ],
  ['AI SDK', (hands) => handleAiSdk(hands, { toolCalls: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: read }] })],
];

it.each(agents)('%s: hands far away answer a response as local ones do', async (_, answer) => {
  const expected = await answer(local);
  expect(JSON.stringify(expected)).toContain('c1');
  expect(await answer(remote)).toEqual(expected);
});

it('a misspelled dry run is no call, far away as here', async () => {
  const misspelled = { dryrun: true, callId: 'misspelled' };
  const input = { path: 'misspelled.txt', content: 'x' };
  const refused = { ok: false, error: { code: 'invalid_arguments', hint: 'Did you mean dryRun?' } };
  expect(await local.call('write_file', input, misspelled)).toMatchObject(refused);
  expect(await remote.call('write_file', input, misspelled)).toMatchObject(refused);
  expect(existsSync(join(paired.bench.folder, 'misspelled.txt'))).toBe(false);
});

it('a dialect far away answers as a local one, with the value for call items of their own', async () => {
  const item = { type: 'shell_call', call_id: 'c1', action: { commands: ['cat a.txt'] } };
  const answer = (hands: ToolRunner): Promise<unknown> => handleOpenAiResponses(hands, { output: [item] });
  const expected = await answer(local.dialect('openai'));
  expect(JSON.stringify(expected)).toContain('hello');
  expect(await answer(remote.dialect('openai'))).toEqual(expected);
  const both = await Promise.all([local, remote].map((hands) => hands.dialect('claude-code').call('Read', { file_path: 'a.txt' })));
  expect(both[1]?.output).toBe(both[0]?.output);
});

/** Without functions, which cannot be compared. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it.each(TOOL_FORMATS)('the tools are the same in the format %s', async (format) => {
  expect(plain(await remote.tools(format))).toEqual(plain(local.tools(format)));
  const name = 'claude-code';
  expect(plain(await remote.dialect(name).tools(format))).toEqual(plain(local.dialect(name).tools(format)));
});

it('the result of a built-in tool has its type, and what frameworks run runs there', async () => {
  const result = await remote.call('read_file', read);
  // This line does not compile where `data` has no type.
  expect(result.ok && result.data.kind === 'text' && result.data.content).toBe('hello\n');
  const tool = (await remote.tools('langchain')).find(({ name }) => name === 'read_file');
  expect(JSON.stringify(await tool?.execute(read))).toContain('hello');
});

it('the events of a call are those of local hands', async () => {
  const seen = async (hands: Pick<RemoteHands, 'subscribe'> | Hands, run: () => Promise<unknown>): Promise<unknown[]> => {
    const events: Array<RemoteEvent | CallEvent> = [];
    const unsubscribe = hands.subscribe((event) => void events.push(event));
    await run();
    unsubscribe();
    return events.map((event) => ('tool' in event ? [event.type, event.callId, event.tool, 'ok' in event && event.ok] : event));
  };
  const expected = await seen(local, () => local.call('read_file', read, { callId: 'event-1' }));
  expect(expected).toHaveLength(2);
  expect(await seen(remote, () => remote.call('read_file', read, { callId: 'event-1' }))).toEqual(expected);
});

it('an approver at the agent answers where the owner lets this device approve, and is not asked elsewhere', async () => {
  const approver = agreeing();
  const input = { path: 'new.txt', content: 'new\n' };
  expect(await remote.call('write_file', input, { approver })).toMatchObject({ ok: true });
  expect(approver.asked).toMatchObject([{ tool: 'write_file', arguments: input }]);
  // The owner named only one tool, and for the other device none.
  expect(await remote.call('run_command', { command: 'touch x', live: true }, { approver })).toMatchObject({
    ok: false,
    error: { code: 'approval_required' },
  });
  const [, other] = paired.devices;
  if (other === undefined) throw new Error('no device');
  await using theirs = paired.brain(other, { approver });
  expect(await theirs.call('write_file', input)).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  expect(approver.asked).toHaveLength(1);
});

it('a no of that approver is a no', async () => {
  const approver: Approver = { name: 'test', ask: async () => ({ verdict: 'deny', reason: 'Not now.' }) };
  const result = await remote.call('write_file', { path: 'no.txt', content: '' }, { approver });
  expect(result).toMatchObject({ ok: false, error: { code: 'denied' } });
});

it('a file that is too long for a call is written in parts, as the refusal says', { timeout: 60_000 }, async () => {
  const approver = agreeing();
  const parts = ['a', 'ä"\\\n', 'c'].map((text) => `${text.repeat(Math.floor(150_000 / new TextEncoder().encode(text).length / text.length))}\n`);
  const [first = '', ...others] = parts;
  const refused = await remote.call('write_file', { path: 'long.txt', content: parts.join('') }, { approver });
  expect(refused).toMatchObject({ ok: false, error: { code: 'too_large', hint: expect.stringContaining('<<MORE>>') as string } });
  const more = '<<MORE>>\n';
  expect(await remote.call('write_file', { path: 'long.txt', content: first + more }, { approver })).toMatchObject({ ok: true });
  for (const [index, part] of others.entries()) {
    const edits = [{ old_text: more, new_text: index === others.length - 1 ? part : part + more }];
    expect(await remote.call('edit_file', { path: 'long.txt', edits }, { approver })).toMatchObject({ ok: true });
  }
  expect(readFileSync(join(paired.bench.folder, 'long.txt'), 'utf8')).toBe(parts.join(''));
});

it('a call is found under the id that the agent gave it, and under that of the machine', async () => {
  const approver = agreeing();
  const path = 'mine.txt';
  const made = await remote.call('write_file', { path, content: 'mine\n' }, { approver, callId: 'mine-1' });
  expect(made).toMatchObject({ ok: true });
  for (const call of ['mine-1', made.meta.callId]) expect(await remote.changes({ call })).toMatchObject([{ kind: 'created', path }]);
  expect(await remote.planUndo({ call: 'mine-1' })).toMatchObject({ changes: [{ path }] });
  await expect(remote.changes({ call: 'mine-2' })).rejects.toMatchObject({ code: 'not_found' });
});

it.each([undefined, null, 5, '', {}, 'x'.repeat(200)])('a name that is none is refused, as locally: %j', async (name) => {
  // What a caller without types may pass.
  const call = (hands: ToolRunner): Promise<unknown> => hands.call(name as string, {});
  const refused = { ok: false, error: { code: 'unknown_tool' } };
  expect(await call(local)).toMatchObject(refused);
  expect(await call(remote)).toMatchObject(refused);
  expect(await remote.dialect('claude-code').call(name as string, {})).toMatchObject({ isError: true, result: refused });
  expect(await remote.call('read_file', read)).toMatchObject({ ok: true });
});

it.each([5, {}, '', 'base:1'])('a call id that is none is refused: %j', async (callId) => {
  expect(await remote.call('read_file', read, { callId: callId as string })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
});

const circular: Record<string, unknown> = { path: 'a.txt' };
circular['self'] = circular;
const throwing = {
  get path(): string {
    throw new Error('boom');
  },
};

it.each([
  ['a bigint', { path: 'a.txt', limit: 10n }],
  ['a function', { path: 'a.txt', f: () => 1 }],
  ['a date', { path: new Date(0) }],
  ['a map', new Map([['path', 'a.txt']])],
  ['a number that is none', { path: 'a.txt', limit: Number.NaN }],
  ['a value in itself', circular],
])('%s in the input is refused, as locally', async (_, input) => {
  const refused = { ok: false, error: { code: 'invalid_arguments', message: expect.not.stringContaining('hash') as string } };
  const call = (hands: ToolRunner): Promise<unknown> => hands.call('read_file', input);
  expect(await call(local)).toMatchObject(refused);
  expect(await call(remote)).toMatchObject(refused);
});

it('an input that throws is a failed call', async () => {
  expect(await remote.call('read_file', throwing)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect(await remote.call('read_file', { path: 'a.txt', offset: undefined })).toMatchObject({ ok: true });
});

it('a listener or callback that throws breaks no call and no other listener', async () => {
  const warned = Promise.withResolvers<Error>();
  process.once('warning', warned.resolve);
  const seen: string[] = [];
  const fails = (): never => {
    throw new Error('of the listener');
  };
  const unsubscribe = [remote.subscribe(fails), remote.subscribe(({ type }) => void seen.push(type)), remote.questions(fails)];
  const approver = agreeing();
  const options = { approver, onApproval: fails, onProgress: fails };
  expect(await remote.call('write_file', { path: 'heard.txt', content: '' }, options)).toMatchObject({ ok: true });
  expect(await remote.call('read_file', read, options)).toMatchObject({ ok: true });
  for (const stop of unsubscribe) stop();
  expect(seen).toContain('call-end');
  expect((await warned.promise).message).toBe('of the listener');
});

it('an approver that is told to stop, because the call ended, sends no answer', async () => {
  const approved: unknown[] = [];
  const asked = new AskedHere(
    { name: 'test', ask: (_, signal) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))) },
    {},
    (_, option) => approved.push(option),
  );
  const failing = new AskedHere({ name: 'test', ask: () => Promise.reject(new Error('no terminal')) }, {}, (_, option) => approved.push(option));
  for (const approver of [asked, failing]) approver.take({ approval_id: '1', may_decide: true } as Parameters<AskedHere['take']>[0]);
  asked[Symbol.dispose]();
  await new Promise(setImmediate);
  // The control is an approver that cannot ask: that is a no.
  expect(approved).toEqual(['reject']);
});

it.each<unknown>([5, null, {}, Object.create(null)])('a dialect that is none is refused: %j', async (name) => {
  expect(await remote.dialect(name as string).call('Read', {})).toMatchObject({ isError: true, result: { error: { code: 'invalid_arguments' } } });
});
