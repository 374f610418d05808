import { expect, it } from 'vitest';
import type { HeldRequest } from '../../../net/held-request.ts';
import { LiveQuestions } from './live-questions.ts';

const held = (text: string): HeldRequest => ({ text, rule: undefined, askedBy: undefined });

it('asks once about the same request, also at the same time, and keeps the answer', async () => {
  const asked: string[] = [];
  const questions = new LiveQuestions(async ({ text }) => asked.push(text) > 0 && text === 'a');
  expect(await Promise.all(['a', 'b', 'a'].map(async (key) => await questions.allows(key, held(key))))).toEqual([true, false, true]);
  expect(await questions.allows('b', held('b'))).toBe(false);
  expect(asked).toEqual(['a', 'b']);
});

it('asks one question at a time, and no more after three that were not allowed', async () => {
  let open = 0;
  let most = 0;
  const asked: string[] = [];
  const questions = new LiveQuestions(async ({ text }) => {
    asked.push(text);
    most = Math.max(most, (open += 1));
    await Promise.resolve();
    open -= 1;
    return false;
  });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (key) => await questions.allows(key, held(key))));
  expect(await questions.allows('f', held('f'))).toBe(false);
  expect(asked).toEqual(['a', 'b', 'c']);
  expect(most).toBe(1);
});

it('an error, and the end of the command, are a no', async () => {
  const failing = new LiveQuestions(() => Promise.reject(new Error('no screen')));
  expect(await failing.allows('a', held('a'))).toBe(false);
  const questions = new LiveQuestions(async (_, signal) => await new Promise((_resolve, reject) => signal.addEventListener('abort', reject)));
  const answers = ['a', 'b'].map(async (key) => await questions.allows(key, held(key)));
  questions[Symbol.dispose]();
  expect(await Promise.all(answers)).toEqual([false, false]);
});
