import { expect, it } from 'vitest';
import { assertRunOptions } from './run-agent-options.ts';

const options = { hands: { call() {} }, model: { doStream() {} }, system: 'You fix bugs.' };

it.each([[options], [{ ...options, limits: { calls: 5, timeMs: Number.POSITIVE_INFINITY }, price: undefined }]])('%j are options', (given) => {
  expect(() => assertRunOptions(given)).not.toThrow();
});

it.each([
  // Each of these would spend without a limit.
  [{ ...options, limits: { costUSD: 1 } }, 'options.limits has no "costUSD" (did you mean costUsd?).'],
  [{ ...options, limits: { tokens: '5000' } }, 'options.limits.tokens: expected a number from 0, not "5000".'],
  [{ ...options, costUsd: 1 }, 'options has no "costUsd" (did you mean limits.costUsd?).'],
  [{ ...options, model: 'openai/gpt-5.2' }, 'options.model: expected a model, such as await openModel(name), not "openai/gpt-5.2".'],
])('%j are not', (given, message) => {
  expect(() => assertRunOptions(given)).toThrow(`runAgent: ${message}`);
});
