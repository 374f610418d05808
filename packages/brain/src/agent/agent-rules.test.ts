import { APICallError, type LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { estimateTokens, makeRoom } from './context-budget.ts';
import { readModelFailure, retryAfter } from './model-failure.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import { retryDelay } from './retry-delay.ts';
import { addTurn, NOTHING_SPENT, reachedLimit } from './spending.ts';

const failure = (statusCode: number | undefined, message: string, responseBody = ''): APICallError =>
  new APICallError({
    message,
    url: 'http://model.test',
    requestBodyValues: {},
    responseBody,
    responseHeaders: {},
    ...(statusCode === undefined ? {} : { statusCode }),
  });

describe('readModelFailure', () => {
  it.each([
    [failure(429, 'Too many requests'), 'busy'],
    [failure(529, 'Overloaded'), 'busy'],
    [failure(401, 'Invalid key'), 'key'],
    [failure(404, 'model `x` not found'), 'no-model'],
    [failure(400, "This model's maximum context length is 8192 tokens"), 'context'],
    [failure(400, 'prompt is too long: 210000 tokens > 200000 maximum'), 'context'],
    [failure(400, 'The input token count (1200000) exceeds the maximum number of tokens allowed'), 'context'],
    [failure(400, 'Bad request', 'the request exceeds the available context size'), 'context'],
    [failure(400, 'Invalid schema'), 'rejected'],
    [failure(undefined, 'connect ECONNREFUSED'), 'network'],
    [failure(200, 'Failed to process the stream'), 'network'],
    [new Error('overloaded_error'), 'busy'],
    [new TypeError('terminated'), 'network'],
  ])('%s is %s', (error, kind) => expect(readModelFailure(error).kind).toBe(kind));

  it('repeats words of a server in one bounded line without control characters', () => {
    const { message } = readModelFailure(failure(400, `a\n\u001B[31m${'x'.repeat(10_000)}`));
    expect(message).toMatch(/^[^\p{C}]{1,500}$/u);
  });
});

describe('retryAfter', () => {
  it.each([
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after-ms': '70', 'retry-after': '3' }, 70],
    [{ 'retry-after': new Date(5_000).toUTCString() }, 4_000],
    [{ 'retry-after': 'soon' }, undefined],
    [undefined, undefined],
  ])('%o is %s ms', (headers, expected) => expect(retryAfter(headers, 1_000)).toBe(expected));
});

it('waits longer each time, gives up in the end, and not before the server said so', () => {
  const busy = { kind: 'busy', message: '' } as const;
  expect([0, 1, 2, 5, 6].map((attempt) => retryDelay(busy, attempt, 1))).toEqual([1_000, 2_000, 4_000, 32_000, undefined]);
  expect(retryDelay(busy, 0, 0)).toBe(0);
  expect(retryDelay({ ...busy, retryAfterMs: 90_000 }, 0, 0)).toBe(90_000);
  expect(retryDelay({ ...busy, retryAfterMs: 3_600_000 }, 0, 0)).toBeUndefined();
  expect(retryDelay({ kind: 'key', message: '' }, 0, 1)).toBeUndefined();
});

it('knows a repeated call whatever the order of its fields, and forgets it after a while', () => {
  const calls = new RepeatedCalls();
  const inputs = [
    { a: 1, b: [2] },
    { b: [2], a: 1 },
  ];
  expect([0, 1, 2, 3, 4].map((index) => calls.note('t', inputs[index % 2]))).toEqual(['new', 'new', 'warn', 'warn', 'stop']);
  for (let index = 0; index < 20; index += 1) calls.note('t', index);
  expect(calls.note('t', inputs[0])).toBe('new');
});

it('counts tokens, and what they cost where that is known', () => {
  const usage = {
    inputTokens: { total: 1_000_000, noCache: undefined, cacheRead: 500_000, cacheWrite: undefined },
    outputTokens: { total: 100_000, text: undefined, reasoning: undefined },
  };
  const price = { input: 2, output: 10, cachedInput: 0.2 };
  expect(addTurn(NOTHING_SPENT, usage, price)).toMatchObject({ turns: 1, inputTokens: 1_000_000, cachedTokens: 500_000, costUsd: 2.1 });
  expect(addTurn(NOTHING_SPENT, usage, undefined).costUsd).toBeUndefined();
  expect(reachedLimit({ tokens: 10 }, { ...NOTHING_SPENT, inputTokens: 10 }, 0)).toBe('Limit reached: 10 tokens.');
  expect(reachedLimit({ timeMs: 10 }, NOTHING_SPENT, 9)).toBeUndefined();
});

describe('makeRoom', () => {
  const result = (id: string, text: string): LanguageModelV4Prompt[number] => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: id, toolName: 'read_file', output: { type: 'text', value: text } }],
  });
  const long = (id: string, note = ''): LanguageModelV4Prompt[number] => result(id, 'x'.repeat(4_000) + note);

  it('takes the oldest results first, and keeps the newest and the short ones', () => {
    const prompt = [result('short', 'ok'), long('1', '[whole: read_file spill:abc-1]'), long('2'), long('3'), long('4'), long('5'), long('6')];
    const shorter = makeRoom(prompt, estimateTokens(prompt) - 500, new Map([['1', 'read_file(a) → 4KB']]));
    expect(shorter?.[0]).toEqual(prompt[0]);
    expect(JSON.stringify(shorter?.[1])).toContain('read_file(a) → 4KB. All of it: read_file spill:abc-1');
    expect(shorter?.slice(2)).toEqual(prompt.slice(2));
  });

  it('says where nothing is left to give way', () => {
    expect(makeRoom([long('1'), long('2')], 10, new Map())).toBeUndefined();
  });
});
