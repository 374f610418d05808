import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type Content, type Part } from '@google/genai';
import { createHands, type Hands } from '@synapse/hands';
import { handleAiSdk, handleAnthropic, handleGemini, handleOpenAiChat, handleOpenAiResponses, type ToolCaller } from '@synapse/hands/providers';
import { generateText, isStepCount, streamText, type LanguageModel, type ModelMessage, type ToolSet } from 'ai';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { FILES, type SeenResult } from './scenario.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

interface Place extends AsyncDisposable {
  readonly hands: Hands;
  readonly folder: string;
}

async function openPlace(): Promise<Place> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-loop-')));
  const folder = join(base, 'workspace');
  await mkdir(folder);
  for (const [path, content] of Object.entries(FILES)) await writeFile(join(folder, path), content);
  const hands = await createHands({ workspace: folder, stateFolder: join(base, 'state'), allow: ['write', 'exec'] });
  return {
    hands,
    folder,
    async [Symbol.asyncDispose]() {
      await hands[Symbol.asyncDispose]();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Runs the conversation to its end and gives the last text. */
type Loop = (hands: Hands, url: string, stream: boolean) => Promise<string>;

const PROMPT = 'Read the files.';
const ROUNDS = 5;
const noRetry = { apiKey: 'none', maxRetries: 0 };

const openAiChat =
  (format: 'openai' | 'openai-strict'): Loop =>
  async (hands, url, stream) => {
    const client = new OpenAI({ ...noRetry, baseURL: `${url}/v1` });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: PROMPT }];
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = { model: 'scripted', messages, tools: hands.tools(format) };
      const completion = stream ? await client.chat.completions.stream(request).finalChatCompletion() : await client.chat.completions.create(request);
      const message = completion.choices[0]?.message;
      const results = await handleOpenAiChat(hands, completion);
      if (message === undefined || results.length === 0) return message?.content ?? '';
      messages.push(message, ...results);
    }
    return 'no end';
  };

const openAiResponses: Loop = (hands, url, stream) => responsesLoop(hands, hands.tools('openai-responses'), url, stream);
const openAiResponsesNative: Loop = (hands, url, stream) => {
  const dialect = hands.dialect('openai');
  return responsesLoop(dialect, dialect.tools('openai-responses-native'), url, stream);
};

async function responsesLoop(hands: ToolCaller, tools: OpenAI.Responses.Tool[], url: string, stream: boolean): Promise<string> {
  const client = new OpenAI({ ...noRetry, baseURL: `${url}/v1` });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: PROMPT }];
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = { model: 'scripted', input, tools };
    const response = stream ? await client.responses.stream(request).finalResponse() : await client.responses.create(request);
    const results = await handleOpenAiResponses(hands, response);
    if (results.length === 0) return response.output_text;
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]), ...results);
  }
  return 'no end';
}

const anthropic: Loop = (hands, url, stream) => messagesLoop(hands, hands.tools('anthropic'), url, stream);
const anthropicNative: Loop = (hands, url, stream) => {
  const dialect = hands.dialect('anthropic');
  return messagesLoop(dialect, dialect.tools('anthropic-native'), url, stream);
};

async function messagesLoop(hands: ToolCaller, tools: Anthropic.ToolUnion[], url: string, stream: boolean): Promise<string> {
  const client = new Anthropic({ ...noRetry, baseURL: url });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: PROMPT }];
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = { model: 'scripted', max_tokens: 1_000, messages, tools };
    const message = stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request);
    const results = await handleAnthropic(hands, message);
    if (results.length === 0) return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    messages.push({ role: 'assistant', content: message.content }, ...results);
  }
  return 'no end';
}

const gemini: Loop = async (hands, url, stream) => {
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } });
  const contents: Content[] = [{ role: 'user', parts: [{ text: PROMPT }] }];
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = { model: 'scripted', contents, config: { tools: hands.tools('gemini') } };
    const parts: Part[] = [];
    if (stream)
      for await (const chunk of await client.models.generateContentStream(request)) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    else parts.push(...((await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []));
    const content = { role: 'model', parts };
    const results = await handleGemini(hands, { candidates: [{ content }] });
    if (results.length === 0) return parts.map(({ text }) => text ?? '').join('');
    contents.push(content, ...results);
  }
  return 'no end';
};

const MODELS: Readonly<Record<string, (url: string) => LanguageModel>> = {
  'OpenAI Responses': (url) => createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` })('scripted'),
  'OpenAI Chat': (url) => createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` }).chat('scripted'),
  Anthropic: (url) => createAnthropic({ apiKey: 'none', baseURL: `${url}/v1` })('scripted'),
  'Google, Gemini 3': (url) => createGoogle({ apiKey: 'none', baseURL: `${url}/v1beta` })('gemini-3-pro-preview'),
  'Google, Gemini 2.5': (url) => createGoogle({ apiKey: 'none', baseURL: `${url}/v1beta` })('gemini-2.5-flash'),
};

/** The SDK's provider for Chat Completions would write images into the text. */
const withImages = (name: string): { images: boolean } => ({ images: name !== 'OpenAI Chat' });

const aiSdk =
  (name: string, model: (url: string) => LanguageModel): Loop =>
  async (hands, url, stream) => {
    const request = {
      model: model(url),
      tools: hands.tools('ai-sdk', withImages(name)),
      stopWhen: isStepCount(ROUNDS),
      prompt: PROMPT,
      maxRetries: 0,
    };
    return stream ? streamText(request).text : (await generateText(request)).text;
  };

/** The AI SDK with tools that it does not run itself. */
const aiSdkByHand =
  (name: string, model: (url: string) => LanguageModel): Loop =>
  async (hands, url) => {
    const withExecute = Object.entries(hands.tools('ai-sdk'));
    const tools: ToolSet = Object.fromEntries(withExecute.map(([name, { description, inputSchema }]) => [name, { description, inputSchema }]));
    const messages: ModelMessage[] = [{ role: 'user', content: PROMPT }];
    for (let round = 0; round < ROUNDS; round += 1) {
      const result = await generateText({ model: model(url), tools, messages, maxRetries: 0 });
      const results = await handleAiSdk(hands, result, withImages(name));
      if (results.length === 0) return result.text;
      messages.push(...result.response.messages, ...results);
    }
    return 'no end';
  };

const LOOPS: readonly (readonly [name: string, loop: Loop])[] = [
  ['openai, Chat Completions', openAiChat('openai')],
  ['openai, Chat Completions, strict', openAiChat('openai-strict')],
  ['openai, Responses', openAiResponses],
  ['@anthropic-ai/sdk', anthropic],
  ['@google/genai', gemini],
  ...Object.entries(MODELS).map(([name, model]) => [`ai, ${name}`, aiSdk(name, model)] as const),
];

/** Chat Completions take text only. */
const textOnly = (name: string): boolean => /Chat/u.test(name);

/** What came of a loop. */
interface Outcome {
  readonly refusals: readonly string[];
  readonly requests: number;
  readonly results: readonly string[];
  readonly written: string;
}

const good = (name: string): Outcome => ({
  refusals: [],
  requests: 3,
  results: [
    'call_1 ok alpha',
    'call_2 ok beta',
    `call_3 ok ${textOnly(name) ? 'cannot be shown' : 'image'}`,
    'call_4 error missing.txt',
    'call_5 ok d.txt',
  ],
  written: 'gamma\n',
});

/** The word that tells one result from the others. */
const WORD = /alpha|beta|missing\.txt|d\.txt|gamma|restarted|cannot be shown/u;

async function outcome(loop: Loop, server: WireServer, stream: boolean): Promise<Outcome> {
  await using place = await openPlace();
  const last = await loop(place.hands, server.url, stream);
  const seen = JSON.parse(last) as SeenResult[];
  return {
    refusals: server.refusals,
    requests: server.requests.length,
    results: seen.map(
      ({ id, isError, text, images }) => `${id} ${isError ? 'error' : 'ok'} ${images === 1 ? 'image' : (WORD.exec(text)?.[0] ?? text)}`,
    ),
    written: await readFile(join(place.folder, 'd.txt'), 'utf8'),
  };
}

it.each(LOOPS.flatMap(([name, loop]) => [false, true].map((stream) => [name, stream ? 'streaming' : 'whole', loop] as const)))(
  '%s, %s: two rounds, parallel calls, one error',
  async (name, mode, loop) => {
    await using server = await startWireServer();
    expect(await outcome(loop, server, mode === 'streaming')).toEqual(good(name));
  },
);

it.each(Object.entries(MODELS))('ai, %s, tools run by hand', async (name, model) => {
  await using server = await startWireServer();
  expect(await outcome(aiSdkByHand(name, model), server, false)).toEqual(good(name));
});

const NATIVE: readonly (readonly [name: string, loop: Loop, results: readonly string[]])[] = [
  [
    'openai, call items',
    openAiResponsesNative,
    ['call_1 ok alpha', 'call_2 ok beta', 'call_3 error missing.txt', 'call_4 ok d.txt', 'call_5 error gamma'],
  ],
  [
    "@anthropic-ai/sdk, Anthropic's own tools",
    anthropicNative,
    ['call_1 ok alpha', 'call_2 ok beta', 'call_3 error missing.txt', 'call_4 ok d.txt', 'call_5 ok restarted'],
  ],
];

it.each(NATIVE.flatMap(([name, loop, results]) => [false, true].map((stream) => [name, stream ? 'streaming' : 'whole', loop, results] as const)))(
  '%s, %s: two rounds, parallel calls, one error',
  async (_, mode, loop, results) => {
    await using server = await startWireServer();
    expect(await outcome(loop, server, mode === 'streaming')).toEqual({ refusals: [], requests: 3, results, written: 'gamma\n' });
  },
);

it('@google/genai, calls without ids', async () => {
  await using server = await startWireServer({ geminiIds: false });
  expect(await outcome(gemini, server, false)).toEqual(good('Gemini'));
});

// What follows shows that the server refuses what it should: a loop that passes means something.

const loose = { type: 'object', properties: { a: { type: 'string', minLength: 1 }, b: { type: 'string' } }, required: ['a'] };

it.each<[string, string, object, string]>([
  [
    'strict with an optional field',
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 'x' }], tools: [{ type: 'function', function: { name: 'a', parameters: loose, strict: true } }] },
    'Invalid schema for function',
  ],
  [
    'an array without items',
    '/v1/chat/completions',
    {
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object', properties: { a: { type: 'array' } } } } }],
    },
    'missing items',
  ],
  [
    'a name with colons',
    '/v1/responses',
    { input: 'x', tools: [{ type: 'function', name: 'mcp:a:b', parameters: loose, strict: false }] },
    'Invalid',
  ],
  [
    'an output without a call',
    '/v1/responses',
    {
      input: [{ type: 'function_call_output', call_id: 'c', output: '' }],
      tools: [{ type: 'function', name: 'a', parameters: loose, strict: false }],
    },
    'No tool call found',
  ],
  ['a native tool with a name', '/v1/responses', { input: 'x', tools: [{ type: 'shell', name: 'shell' }] }, 'Invalid'],
  [
    'an output of another type than its call',
    '/v1/responses',
    {
      input: [
        { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
        { type: 'local_shell_call_output', id: 'c', output: '{"exit_code":0}' },
      ],
      tools: [{ type: 'shell' }],
    },
    'No local_shell_call found',
  ],
  [
    'an output of commands without an outcome',
    '/v1/responses',
    {
      input: [
        { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
        { type: 'shell_call_output', call_id: 'c', output: [{ stdout: '', stderr: '' }] },
      ],
      tools: [{ type: 'shell' }],
    },
    'Invalid',
  ],
  [
    'a native tool with another name',
    '/v1/messages',
    { max_tokens: 1, messages: [{ role: 'user', content: 'x' }], tools: [{ type: 'bash_20250124', name: 'shell' }] },
    'Invalid',
  ],
  [
    'a union at the root',
    '/v1/messages',
    { max_tokens: 1, messages: [{ role: 'user', content: 'x' }], tools: [{ name: 'a', input_schema: { type: 'object', anyOf: [{}] } }] },
    'top level',
  ],
  [
    'a use without a result',
    '/v1/messages',
    {
      max_tokens: 1,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'a', input: {} }] },
        { role: 'user', content: 'y' },
      ],
      tools: [{ name: 'a', input_schema: loose }],
    },
    'one result each',
  ],
  [
    'a keyword Gemini has not',
    '/v1beta/models/m:generateContent',
    {
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      tools: [{ functionDeclarations: [{ name: 'a', description: 'A', parametersJsonSchema: loose }] }],
    },
    'Unrecognized key',
  ],
])('the server refuses %s', async (_, path, body, message) => {
  await using server = await startWireServer();
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify({ model: 'scripted', ...body }) });
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain(message);
});
