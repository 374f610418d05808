import type { AgentLimits, Spending } from './spending.ts';

/** What a turn of a model costs. */
export interface TurnCost {
  /** Input and output together. */
  readonly tokens: number;
  /** US dollars. */
  readonly costUsd: number;
}

/** What several runs spend together, in any processes. The limits of each count what all of them have spent. */
export interface SharedBudget {
  /** What all runs have spent, with what is expected of turns that are not finished. */
  spent(): TurnCost & { readonly calls: number };
  /** Counts a call; false if all runs together have made as many as the limit already. Atomic. */
  takeCall(limit: number): boolean;
  /** Counts what is expected of a turn; false if the limits of tokens and cost are reached already. Atomic. */
  takeTurn(expected: TurnCost, limits: AgentLimits): boolean;
  /** Adds to what is counted, or takes it back. */
  addTurn(cost: TurnCost): void;
}

const NOTHING: TurnCost = { tokens: 0, costUsd: 0 };

function costBetween(before: Spending, after: Spending): TurnCost {
  const tokens = after.inputTokens + after.outputTokens - before.inputTokens - before.outputTokens;
  return { tokens, costUsd: (after.costUsd ?? 0) - (before.costUsd ?? 0) };
}

/** What one run takes of a budget, if it shares one. */
export class BudgetShare {
  readonly #budget: SharedBudget | undefined;
  /** The next turn costs about as much as the last one. Without this, turns at the same time would all begin before the limit. */
  #expected = NOTHING;

  constructor(budget: SharedBudget | undefined) {
    this.#budget = budget;
  }

  /** What counts toward the limits of the run. */
  counted(own: Spending): Spending {
    if (this.#budget === undefined) return own;
    const { calls, tokens, costUsd } = this.#budget.spent();
    return { ...own, calls, inputTokens: tokens, outputTokens: 0, costUsd };
  }

  takeCall(limit = Infinity): boolean {
    return this.#budget?.takeCall(limit) ?? true;
  }

  takeTurn(limits: AgentLimits): boolean {
    return this.#budget?.takeTurn(this.#expected, limits) ?? true;
  }

  /** Counts what a turn cost instead of what was expected; nothing for one that failed. */
  endTurn(before: Spending, after: Spending): void {
    const cost = costBetween(before, after);
    const { tokens, costUsd } = this.#expected;
    this.#budget?.addTurn({ tokens: cost.tokens - tokens, costUsd: cost.costUsd - costUsd });
    if (cost.tokens > 0) this.#expected = cost;
  }
}
