import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { streamingModel, USAGE } from './fixtures/streaming-model.ts';
import { modelTurn } from './model-turn.ts';

it.each(['newer', '__proto__', 'constructor', '__defineGetter__', 'toString'])('a part that is not known is ignored: %s', async (type) => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'text-delta', id: '1', delta: 'It ' },
    // From JSON, as of a provider that is newer than the types.
    JSON.parse(JSON.stringify({ type, id: '1' })) as LanguageModelV4StreamPart,
    { type: 'text-delta', id: '1', delta: 'works.' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: USAGE },
  ];
  const { signal } = new AbortController();
  const turn = await modelTurn({ model: streamingModel(() => parts), prompt: [], tools: [], signal, onText: () => {}, onReasoning: () => {} });
  expect(turn).toMatchObject({ text: 'It works.', calls: [], message: { content: [{ type: 'text', text: 'It works.' }] } });
});
