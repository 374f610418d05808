import type { LanguageModelV4Usage } from '@ai-sdk/provider';

/** The usage of a run. */
export interface Spending {
  readonly calls: number;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cached tokens of the input. */
  readonly cachedTokens: number;
  /** US dollars; undefined if the price of the model is unknown. */
  readonly costUsd: number | undefined;
}

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Default: the price of input. */
  readonly cachedInput?: number;
}

/** Limits of a run. A missing one means no limit. */
export interface AgentLimits {
  readonly calls?: number;
  /** Input and output together. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly timeMs?: number;
}

/** Default limits, because an unattended run must end. */
export const DEFAULT_AGENT_LIMITS: AgentLimits = { calls: 200, timeMs: 3_600_000 };

export const NOTHING_SPENT: Spending = { calls: 0, turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 };

const MILLION = 1_000_000;

/** Adds a turn of the model. */
export function addTurn(spent: Spending, usage: LanguageModelV4Usage | undefined, price: ModelPrice | undefined): Spending {
  const input = usage?.inputTokens.total ?? 0;
  const cached = Math.min(input, usage?.inputTokens.cacheRead ?? 0);
  const output = usage?.outputTokens.total ?? 0;
  const cost =
    price === undefined
      ? undefined
      : ((input - cached) * price.input + cached * (price.cachedInput ?? price.input) + output * price.output) / MILLION;
  return {
    ...spent,
    turns: spent.turns + 1,
    inputTokens: spent.inputTokens + input,
    outputTokens: spent.outputTokens + output,
    cachedTokens: spent.cachedTokens + cached,
    costUsd: cost === undefined || spent.costUsd === undefined ? undefined : spent.costUsd + cost,
  };
}

/** Adds tool calls. */
export function addCalls(spent: Spending, calls: number): Spending {
  return { ...spent, calls: spent.calls + calls };
}

const NAMES = { calls: 'tool calls', tokens: 'tokens', costUsd: 'US dollars', timeMs: 'milliseconds' } as const satisfies Record<
  keyof AgentLimits,
  string
>;

/** A message about the limit that a run has reached; undefined if it may continue. */
export function reachedLimit(limits: AgentLimits, spent: Spending, elapsedMs: number): string | undefined {
  const used: Record<keyof AgentLimits, number> = {
    calls: spent.calls,
    tokens: spent.inputTokens + spent.outputTokens,
    costUsd: spent.costUsd ?? 0,
    timeMs: elapsedMs,
  };
  const names: (keyof AgentLimits)[] = ['calls', 'tokens', 'costUsd', 'timeMs'];
  const reached = names.find((name) => used[name] >= (limits[name] ?? Infinity));
  return reached === undefined ? undefined : `Limit reached: ${limits[reached]} ${NAMES[reached]}.`;
}
