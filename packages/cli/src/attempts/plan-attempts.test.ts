import { describe, expect, it } from 'vitest';
import { ATTEMPT_VARIABLE } from '../branch/branch-variable.ts';
import { attemptOptions, ownAttempt } from './own-attempt.ts';
import { planAttempts } from './plan-attempts.ts';

const wanted = (attempts?: number, models: readonly string[] = [], model?: string) => ({ attempts, models, model });

describe('planAttempts', () => {
  it('makes one attempt for each model, and lets models take turns', () => {
    expect(planAttempts(wanted(undefined, ['a', 'b']), 'f00')).toEqual([
      { index: 1, branch: 'attempt-f00-1', model: 'a' },
      { index: 2, branch: 'attempt-f00-2', model: 'b' },
    ]);
    expect(planAttempts(wanted(3, ['a', 'b']), 'f').map(({ model }) => model)).toEqual(['a', 'b', 'a']);
    expect(planAttempts(wanted(2, [], 'm'), 'f').map(({ model }) => model)).toEqual(['m', 'm']);
    expect(planAttempts(wanted(2), 'f').map(({ model }) => model)).toEqual([undefined, undefined]);
  });

  it.each([
    [wanted(17), '17 attempts are too many.'],
    [
      wanted(
        undefined,
        Array.from({ length: 17 }, () => 'a'),
      ),
      '17 attempts are too many.',
    ],
    [wanted(1, ['a', 'b']), '--models names 2 models for --attempts 1.'],
    [wanted(2, ['a'], 'b'), '--model and --models exclude each other.'],
  ])('refuses %o', (given, message) => {
    expect(() => planAttempts(given, 'f')).toThrow(message);
  });
});

describe('ownAttempt', () => {
  it('reads which attempt a process is, and nothing else', () => {
    expect(ownAttempt({ [ATTEMPT_VARIABLE]: 'a1b2c3:2' })).toEqual({ id: 'a1b2c3', index: 2, checks: false });
    expect(ownAttempt({ [ATTEMPT_VARIABLE]: 'a1b2c3:2:check' })).toMatchObject({ index: 2, checks: true });
    for (const value of [undefined, '', 'a1', 'a1:x', '../x:1', 'a1:1:1']) expect(ownAttempt({ [ATTEMPT_VARIABLE]: value })).toBeUndefined();
  });

  it('gives an attempt its model, the shared budget, and changes in its branch', () => {
    const options = { ...wanted(undefined, ['a', 'b']), allow: ['fetch'], json: true, jsonl: false };
    expect(attemptOptions(options, { id: 'f00', index: 2, checks: false })).toMatchObject({
      model: 'b',
      allow: ['fetch', 'write'],
      budget: 'f00',
      json: false,
      jsonl: true,
    });
  });
});
