import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { countedSpending, shareTurn } from '../agent/shared-budget.ts';
import { NOTHING_SPENT } from '../agent/spending.ts';
import { SessionStore } from './session-store.ts';

function twoStores() {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-budget-'));
  const stores = [SessionStore.open(folder), SessionStore.open(folder)] as const;
  onTestFinished(() => {
    for (const store of stores) store[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });
  return stores;
}

it('gives no more calls than the limit to all processes together', () => {
  const budgets = twoStores().map((store) => store.budget('f00'));
  const taken = Array.from({ length: 10 }, (_, at) => budgets[at % 2]?.takeCall(7)).filter((isTaken) => isTaken === true);
  expect([taken.length, budgets[0]?.spent().calls]).toEqual([7, 7]);
  expect(budgets[1]?.takeCall(Infinity)).toBe(true);
});

it('adds up tokens and cost, apart for each budget', () => {
  const [one, other] = twoStores();
  const before = { ...NOTHING_SPENT, inputTokens: 10, costUsd: 1 };
  shareTurn(one.budget('f00'), before, { ...before, inputTokens: 110, outputTokens: 5, costUsd: 1.5 });
  shareTurn(other.budget('f00'), NOTHING_SPENT, { ...NOTHING_SPENT, outputTokens: 1, costUsd: undefined });
  expect(one.budget('f00').spent()).toEqual({ calls: 0, tokens: 106, costUsd: 0.5 });
  expect(countedSpending({ ...NOTHING_SPENT, turns: 3 }, other.budget('f00'))).toMatchObject({ turns: 3, inputTokens: 106, costUsd: 0.5 });
  expect(other.budget('f11').spent()).toEqual({ calls: 0, tokens: 0, costUsd: 0 });
});
