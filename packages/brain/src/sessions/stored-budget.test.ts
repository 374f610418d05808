import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BudgetShare } from '../agent/shared-budget.ts';
import { NOTHING_SPENT } from '../agent/spending.ts';
import { SessionStore } from './session-store.ts';

function twoStores() {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-budget-'));
  const stores = [SessionStore.open(folder), SessionStore.open(folder)] as const;
  onTestFinished(() => {
    for (const store of stores) store[Symbol.dispose]();
  });
  return stores;
}

it('gives no more calls than the limit to all processes together', () => {
  const budgets = twoStores().map((store) => store.budget('f00'));
  const taken = Array.from({ length: 10 }, (_, at) => budgets[at % 2]?.takeCall(7)).filter((isTaken) => isTaken === true);
  expect([taken.length, budgets[0]?.spent().calls]).toEqual([7, 7]);
  expect(budgets[1]?.takeCall(Infinity)).toBe(true);
});

it('counts what is expected of turns until they end, apart for each budget', () => {
  const [one, other] = twoStores();
  const [first, second] = [new BudgetShare(one.budget('f00')), new BudgetShare(other.budget('f00'))];
  const limits = { tokens: 250, costUsd: 10 };
  const before = { ...NOTHING_SPENT, inputTokens: 10, costUsd: 1 };
  const after = { ...before, inputTokens: 110, outputTokens: 5, costUsd: 1.5 };
  expect(first.takeTurn(limits)).toBe(true);
  first.endTurn(before, after);
  expect(second.counted({ ...NOTHING_SPENT, turns: 3 })).toMatchObject({ turns: 3, inputTokens: 105, costUsd: 0.5 });
  // As much again is expected of the next turn, and one that failed costs nothing.
  expect([first.takeTurn(limits), one.budget('f00').spent().tokens]).toEqual([true, 210]);
  expect(second.takeTurn({ tokens: 210 })).toBe(false);
  expect(second.takeTurn({ costUsd: 1 })).toBe(false);
  first.endTurn(after, after);
  expect(second.takeTurn({ tokens: 210 })).toBe(true);
  expect(other.budget('f00').spent()).toEqual({ calls: 0, tokens: 105, costUsd: 0.5 });
  expect(other.budget('f11').spent()).toEqual({ calls: 0, tokens: 0, costUsd: 0 });
});

it('lets a run without a budget do what it likes', () => {
  const share = new BudgetShare(undefined);
  expect([share.takeCall(0), share.takeTurn({ tokens: 0 }), share.counted(NOTHING_SPENT)]).toEqual([true, true, NOTHING_SPENT]);
});
