import type { Spending } from './spending.ts';

/** What several runs spend together, in any processes. The limits of each count what all of them have spent. */
export interface SharedBudget {
  /** What all runs have spent. */
  spent(): { readonly calls: number; readonly tokens: number; readonly costUsd: number };
  /** Counts a call; false if all runs together have made as many as the limit already. Atomic. */
  takeCall(limit: number): boolean;
  addTurn(tokens: number, costUsd: number): void;
}

/** Counts a turn that a run has spent since an earlier count. */
export function shareTurn(budget: SharedBudget | undefined, before: Spending, after: Spending): void {
  const tokens = after.inputTokens + after.outputTokens - before.inputTokens - before.outputTokens;
  budget?.addTurn(tokens, (after.costUsd ?? 0) - (before.costUsd ?? 0));
}

/** What counts toward the limits of a run. */
export function countedSpending(own: Spending, budget: SharedBudget | undefined): Spending {
  if (budget === undefined) return own;
  const { calls, tokens, costUsd } = budget.spent();
  return { ...own, calls, inputTokens: tokens, outputTokens: 0, costUsd };
}
