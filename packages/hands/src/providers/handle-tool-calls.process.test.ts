import type { CallEvent } from '@synapse/protocol';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { handleAiSdk } from './ai-sdk.ts';
import { handleAnthropic } from './anthropic.ts';
import { handleGemini } from './gemini.ts';
import { handleOpenAiChat } from './openai-chat.ts';
import { handleOpenAiResponses } from './openai-responses.ts';
import type { HandleOptions, ToolCaller } from './run-tool-calls.ts';
import { PROBE } from '../testing/probe-tool.ts';

interface Call {
  id?: unknown;
  name: string;
  /** A text is sent as it is where the provider sends text. */
  input: unknown;
}

/** The result of a call, the same for all providers. */
interface Result {
  id: string;
  text: string;
  isError: boolean | undefined;
}

interface Door {
  handle(hands: ToolCaller, response: unknown, options?: HandleOptions): Promise<unknown[]>;
  response(calls: readonly Call[]): unknown;
  results(messages: readonly unknown[]): readonly Result[];
  /** Whether each call has its own id; Gemini may leave it out. */
  readonly needsId: boolean;
}

const json = (input: unknown): unknown => (typeof input === 'string' ? input : JSON.stringify(input));
// The texts that our errors begin with; formats without a mark for errors have nothing else.
const isError = (text: string): boolean => text.startsWith('Error: ');

const DOORS: Readonly<Record<string, Door>> = {
  'OpenAI Chat Completions': {
    handle: handleOpenAiChat,
    needsId: true,
    response: (calls) => ({
      choices: [
        {
          message: {
            role: 'assistant',
            tool_calls: calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: json(input) } })),
          },
        },
      ],
    }),
    results: (messages) =>
      (messages as { tool_call_id: string; content: string }[]).map(({ tool_call_id: id, content: text }) => ({ id, text, isError: isError(text) })),
  },
  'OpenAI Responses': {
    handle: handleOpenAiResponses,
    needsId: true,
    response: (calls) => ({
      output: [
        { type: 'reasoning', summary: [] },
        ...calls.map(({ id, name, input }) => ({ type: 'function_call', id: 'fc', call_id: id, name, arguments: json(input) })),
      ],
    }),
    results: (messages) =>
      (messages as { call_id: string; output: string }[]).map(({ call_id: id, output: text }) => ({ id, text, isError: isError(text) })),
  },
  Anthropic: {
    handle: handleAnthropic,
    needsId: true,
    response: (calls) => ({ content: [{ type: 'text', text: 'Let me see.' }, ...calls.map((call) => ({ type: 'tool_use', ...call }))] }),
    results: (messages) =>
      (messages as { content: { tool_use_id: string; content: string; is_error?: boolean }[] }[])
        .flatMap(({ content }) => content)
        .map((block) => ({ id: block.tool_use_id, text: block.content, isError: block.is_error ?? false })),
  },
  Gemini: {
    handle: handleGemini,
    needsId: false,
    response: (calls) => ({
      candidates: [
        {
          content: {
            role: 'model',
            parts: calls.map(({ id, name, input }) => ({ functionCall: { ...(id === undefined ? {} : { id }), name, args: input } })),
          },
        },
      ],
    }),
    results: (messages) =>
      (messages as { parts: { functionResponse: { id?: string; response: { output?: string; error?: string } } }[] }[])
        .flatMap(({ parts }) => parts)
        .map(({ functionResponse: { id, response } }) => ({
          id: id ?? '',
          text: response.output ?? response.error ?? '',
          isError: response.error !== undefined,
        })),
  },
  'AI SDK': {
    handle: handleAiSdk,
    needsId: true,
    response: (calls) => ({ toolCalls: calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input })) }),
    results: (messages) =>
      (messages as { content: { toolCallId: string; output: { type: string; value: string } }[] }[])
        .flatMap(({ content }) => content)
        .map(({ toolCallId: id, output }) => ({ id, text: output.value, isError: output.type === 'error-text' })),
  },
};

const doors = Object.entries(DOORS);

/** Waits until as many calls of it run as are wanted, so that it fails where they do not run side by side. */
function meeting(name: string, wanted: number): AnyTool {
  let here = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  return defineTool({
    ...PROBE,
    name,
    input: z.strictObject({ label: z.string() }),
    execute: async ({ label }) => {
      here += 1;
      if (here === wanted) resolve();
      await all;
      return { data: {}, content: `${label} of ${here}` };
    },
  });
}

it.each(doors)('%s: parallel calls run side by side, and their results are in order', async (_, door) => {
  await using place = await temporaryHands({}, { tools: [meeting('meet', 3)] });
  const calls = ['x', 'y', 'z'].map((label) => ({ id: `id_${label}`, name: 'meet', input: { label } }));
  const results = door.results(await door.handle(place.hands, door.response(calls)));
  expect(results).toEqual(['x', 'y', 'z'].map((label) => ({ id: `id_${label}`, text: `${label} of 3`, isError: false })));
});

it.each(doors)('%s: what changes something waits its turn', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'old' });
  const events: string[] = [];
  place.hands.subscribe((event: CallEvent) => void events.push(`${event.type} ${event.tool}`));
  const calls = [
    { id: '1', name: 'read_file', input: { path: 'a.txt' } },
    { id: '2', name: 'write_file', input: { path: 'a.txt', content: 'new' } },
    { id: '3', name: 'read_file', input: { path: 'a.txt' } },
  ];
  const results = door.results(await door.handle(place.hands, door.response(calls)));
  expect(results.map(({ text }) => text.split('\n').at(-1))).toMatchObject(['old', expect.stringContaining('a.txt'), 'new']);
  expect(events.filter((event) => event !== 'call-progress')).toEqual(
    ['read_file', 'write_file', 'read_file'].flatMap((tool) => [`call-start ${tool}`, `call-end ${tool}`]),
  );
});

it.each(doors)('%s: each bad call has its error, and the good one beside it runs', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'good\n' });
  const good = { path: 'a.txt' };
  const calls = [
    { id: 'good', name: 'read_file', input: good },
    { id: 'broken', name: 'read_file', input: '{"path":"a.t' },
    { id: 'wrong', name: 'read_file', input: { path: 7 } },
    { id: 'unknown', name: 'read_fiel', input: good },
    { id: 'proto', name: '__proto__', input: good },
    { id: 'good', name: 'read_file', input: good },
    { id: 'outside', name: 'read_file', input: { path: '../../etc/passwd' } },
    { id: 'polluted', name: 'read_file', input: JSON.parse('{"path":"a.txt","__proto__":{"x":1}}') },
  ];
  const results = door.results(await door.handle(place.hands, door.response(calls)));
  expect(results.map(({ id, isError }) => `${id} ${String(isError)}`)).toEqual([
    'good false',
    ...['broken', 'wrong', 'unknown', 'proto', 'good', 'outside', 'polluted'].map((id) => `${id} true`),
  ]);
  const texts = results.map(({ text }) => text);
  expect(texts[0]).toContain('good');
  for (const [index, text] of [
    [1, 'not JSON'],
    [2, 'path'],
    [3, 'Did you mean read_file'],
    [4, 'Unknown tool'],
    [5, 'same id'],
    [6, 'leaves the workspace'],
    [7, '__proto__'],
  ] as const) {
    expect(texts[index]).toContain(text);
  }
});

it.each(doors)('%s: a call without an id', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'text\n' });
  for (const id of [undefined, '', 7]) {
    const [result] = door.results(await door.handle(place.hands, door.response([{ id, name: 'read_file', input: { path: 'a.txt' } }])));
    expect(result).toMatchObject({ id: '', isError: door.needsId, text: expect.stringContaining(door.needsId ? 'has no id' : 'text') });
  }
});

it.each(doors)('%s: null for what a strict model leaves out', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'text\n' });
  const call = { id: '1', name: 'read_file', input: { path: 'a.txt', offset: null, limit: null } };
  const response = door.response([call]);
  const [result] = door.results(await door.handle(place.hands, response));
  expect(result).toMatchObject({ isError: false, text: expect.stringContaining('text') });
  // The response goes into the next request as it came.
  expect(response).toEqual(door.response([call]));
});

it.each(doors)('%s: nothing to run, or no response at all', async (_, door) => {
  await using place = await temporaryHands();
  for (const response of [
    door.response([]),
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { choices: [null], content: {}, output: 'x', candidates: [{}], toolCalls: null },
  ]) {
    expect(await door.handle(place.hands, response)).toEqual([]);
  }
  const [result] = door.results(await door.handle(place.hands, door.response([{ id: '1', name: 7 as unknown as string, input: [1] }])));
  expect(result).toMatchObject({ isError: true });
});

it.each(doors)('%s: more calls than anyone asks for', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'text\n' });
  const calls = Array.from({ length: 200 }, (__, index) => ({ id: `${index}`, name: 'file_info', input: { path: 'a.txt' } }));
  const results = door.results(await door.handle(place.hands, door.response(calls)));
  expect(results.map(({ id, isError: failed }) => `${id} ${String(failed)}`)).toEqual(calls.map(({ id }, index) => `${id} ${String(index >= 128)}`));
});

it.each(doors)('%s: a caller that throws, and one that is cancelled', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'text\n' });
  const broken: ToolCaller = { tools: () => place.hands.tools('json-schema'), call: () => Promise.reject(new Error('secret /path')) };
  const response = door.response([{ id: '1', name: 'read_file', input: { path: 'a.txt' } }]);
  const [thrown] = door.results(await door.handle(broken, response));
  expect(thrown).toMatchObject({ isError: true, text: expect.not.stringContaining('secret') });
  const same = { name: 'same', description: '', inputSchema: {} };
  const [ambiguous] = door.results(await door.handle({ tools: () => [same, same], call: async () => ({ output: '', isError: false }) }, response));
  expect(ambiguous).toMatchObject({ isError: true, text: expect.stringContaining('would both be named same') });
  const [cancelled] = door.results(await door.handle(place.hands, response, { signal: AbortSignal.abort() }));
  expect(cancelled).toMatchObject({ isError: true, text: expect.stringContaining('cancelled') });
});

it.each(doors)('%s: a dialect answers in its own words, under names that are safe on the wire', async (_, door) => {
  const dialect: ToolCaller = {
    tools: () => [{ name: 'mcp:files:read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
    call: async (name) => ({ output: `ran ${name}`, isError: name !== 'mcp:files:read' }),
  };
  const [result] = door.results(await door.handle(dialect, door.response([{ id: '1', name: 'mcp__files__read', input: {} }])));
  expect(result).toEqual({ id: '1', text: 'ran mcp:files:read', isError: false });
});

it.each(doors)('%s: a dialect of the hands', async (_, door) => {
  await using place = await temporaryHands({ 'a.txt': 'text\n' });
  const calls = [
    { id: '1', name: 'read_file', input: { path: 'a.txt' } },
    { id: '2', name: 'run_command', input: { command: 'echo ran' } },
    { id: '3', name: 'edit_file', input: { path: 'a.txt' } },
  ];
  const results = door.results(await door.handle(place.hands.dialect('synapse'), door.response(calls)));
  expect(results.slice(0, 2)).toEqual([
    { id: '1', text: 'text\n', isError: false },
    { id: '2', text: 'ran\n', isError: false },
  ]);
  expect(results[2]?.id).toBe('3');
});

/** The smallest PNG. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

it.each(doors)('%s: an image, where it is taken, and a line about it where it is not', async (name, door) => {
  await using place = await temporaryHands({ 'a.png': PIXEL });
  const response = door.response([{ id: '1', name: 'read_file', input: { path: 'a.png' } }]);
  const shown = JSON.stringify(await door.handle(place.hands, response));
  const told = JSON.stringify(await door.handle(place.hands, response, { images: false }));
  expect(shown.includes(PIXEL.toString('base64'))).toBe(name !== 'OpenAI Chat Completions');
  expect(told).toContain('[An image, image/png, ');
  expect(told).not.toContain(PIXEL.toString('base64'));
});

it.each<[string, Door['handle'], unknown]>([
  [
    'Anthropic',
    handleAnthropic,
    {
      stop_reason: 'max_tokens',
      content: [
        { type: 'tool_use', id: '1', name: 'write_file', input: { path: 'whole', content: 'x' } },
        { type: 'tool_use', id: '2', name: 'write_file', input: { path: 'part', content: 'x' } },
      ],
    },
  ],
  [
    'OpenAI Chat Completions',
    handleOpenAiChat,
    {
      choices: [
        {
          finish_reason: 'length',
          message: {
            tool_calls: ['whole', 'part'].map((path) => ({ id: path, function: { name: 'write_file', arguments: json({ path, content: 'x' }) } })),
          },
        },
      ],
    },
  ],
  [
    'OpenAI Responses',
    handleOpenAiResponses,
    {
      output: [
        { type: 'function_call', call_id: '1', name: 'write_file', arguments: json({ path: 'whole', content: 'x' }), status: 'completed' },
        { type: 'function_call', call_id: '2', name: 'write_file', arguments: json({ path: 'part', content: 'x' }), status: 'incomplete' },
      ],
    },
  ],
])('%s: a call in which the response ended is not run', async (_, handle, response) => {
  await using place = await temporaryHands();
  const shown = JSON.stringify(await handle(place.hands, response));
  expect(shown).toContain('The response ended within the call of write_file, so it was not run.');
  expect(await place.hands.call('find_files', { glob: '*' })).toMatchObject({ data: { files: [{ path: 'whole' }] } });
});

it('leaves alone what others have answered, and what is no call', async () => {
  await using place = await temporaryHands({ a: 'text' });
  const read = { toolName: 'read_file', input: { path: 'a' } };
  const toolCalls = [
    { ...read, toolCallId: '1' },
    { ...read, toolCallId: '2', invalid: true, dynamic: true },
    { ...read, toolCallId: '3', providerExecuted: true },
  ];
  expect(await handleAiSdk(place.hands, { toolCalls })).toMatchObject([{ content: [{ toolCallId: '1' }] }]);
  expect(await handleGemini(place.hands, { candidates: [{ content: { parts: [{ text: 'a', functionCall: null }] } }] })).toEqual([]);
});
