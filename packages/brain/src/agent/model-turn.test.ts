import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { modelTurn } from './model-turn.ts';

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

function modelOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: () => Promise.resolve({ stream: ReadableStream.from(parts) }),
  };
}

it.each(['newer', '__proto__', 'constructor', '__defineGetter__', 'toString'])('a part that is not known is ignored: %s', async (type) => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'text-delta', id: '1', delta: 'It ' },
    // From JSON, as of a provider that is newer than the types.
    JSON.parse(JSON.stringify({ type, id: '1' })) as LanguageModelV4StreamPart,
    { type: 'text-delta', id: '1', delta: 'works.' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ];
  const { signal } = new AbortController();
  const turn = await modelTurn({ model: modelOf(parts), prompt: [], tools: [], signal, onText: () => {}, onReasoning: () => {} });
  expect(turn).toMatchObject({ text: 'It works.', calls: [], message: { content: [{ type: 'text', text: 'It works.' }] } });
});
