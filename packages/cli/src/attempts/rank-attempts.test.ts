import { describe, expect, it } from 'vitest';
import type { ShownEffect } from '@synapse/hands';
import type { Attempt } from './attempt.ts';
import { attemptTable } from './attempt-table.ts';
import { changeSize, isGreen, rankAttempts } from './rank-attempts.ts';

const effect = (...diffs: Array<string | undefined>): ShownEffect => ({
  changes: diffs.map((diff, at) => ({ kind: 'changed', path: `${at}`, ...(diff === undefined ? {} : { diff }) })),
  more: 0,
  omitted: [],
  cautions: [],
});
const lines = (added: number): string => `--- a/x\n+++ b/x\n@@ -0,0 +1,${added} @@\n${'+line\n'.repeat(added)}`;
const passed = { passed: true, ending: 'exit code 0', output: '' };
const failed = { passed: false, ending: 'exit code 1', output: '' };

function attempt(index: number, facts: Partial<Attempt> = {}): Attempt {
  return {
    index,
    branch: `attempt-f00-${index}`,
    model: 'm',
    session: 's-1',
    status: 'done',
    reason: undefined,
    text: '',
    calls: 1,
    tokens: 220,
    costUsd: 0,
    durationMs: 1_234,
    check: undefined,
    changes: 1,
    effect: effect(lines(1)),
    ...facts,
  };
}

describe('rankAttempts', () => {
  it('knows the size of a change whose diff was cut', () => {
    const { changes, ...rest } = effect(lines(3));
    const long = { ...rest, changes: changes.map((change) => ({ ...change, lines: { added: 9_000, removed: 1 } })) };
    expect(changeSize({ effect: long, changes: 1 })).toEqual({ added: 9_000, removed: 1, all: 9_001 });
    const ranked = rankAttempts([attempt(1, { check: passed, effect: long }), attempt(2, { check: passed, effect: effect(lines(50)) })]);
    expect(ranked.map(({ index }) => index)).toEqual([2, 1]);
  });

  it('puts changes first, then the check, then what was finished, then the smaller one, then the earlier one', () => {
    const ranked = rankAttempts([
      attempt(1, { changes: 0, effect: effect() }),
      attempt(2, { check: failed }),
      attempt(3, { check: passed, effect: effect(lines(9)) }),
      attempt(4, { check: passed, status: 'killed' }),
      attempt(5, { check: passed, effect: effect(lines(8)) }),
      attempt(6, { check: failed, effect: effect(lines(1)) }),
    ]);
    expect(ranked.map(({ index }) => index)).toEqual([5, 3, 4, 2, 6, 1]);
  });

  it('counts lines, and other changes as one each', () => {
    const sql = '--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- a comment of SQL\n-b\n+++c\n';
    expect(changeSize(attempt(1, { effect: effect(sql, undefined) }))).toEqual({ added: 1, removed: 2, all: 4 });
    const folded = {
      ...effect(lines(1)),
      more: 3,
      folded: [{ path: 'node_modules', files: 7, bytes: 1, packages: { added: 1, changed: 0, deleted: 0 } }],
    };
    expect(changeSize(attempt(1, { effect: folded })).all).toBe(11);
    expect(changeSize(attempt(1, { effect: undefined, changes: 5 })).all).toBe(5);
  });

  it('counts as green only what has changes and passed', () => {
    expect(
      [attempt(1, { check: passed }), attempt(1, { check: passed, changes: 0 }), attempt(1, { check: failed }), attempt(1)].map(isGreen),
    ).toEqual([true, false, false, false]);
  });
});

describe('attemptTable', () => {
  it('numbers what can be applied, and leaves out what says the same everywhere', () => {
    expect(attemptTable([attempt(2, { check: passed }), attempt(1, { changes: 0, effect: effect(), calls: 0, status: 'paused' })])).toBe(
      '1  attempt-f00-2  passed  1 change  +1 -0  1 call   220 tokens  1.2 s\n   attempt-f00-1          no changes       0 calls  220 tokens  1.2 s  paused\n',
    );
    const narrow = attemptTable([attempt(1, { check: failed })], 65);
    expect(narrow).toBe('1  attempt-f00-1  failed: exit code 1  1 change  +1 -0  1 call\n');
    expect(attemptTable([attempt(1)], 10)).toBe('1  attempt-f00-1  1 change  +1 -0\n');
    const rows = attemptTable([attempt(1, { model: 'b', costUsd: 0.5 }), attempt(2, { check: failed })]);
    expect(rows).toContain('$0.5000');
    expect(rows).toContain('failed: exit code 1');
  });
});
