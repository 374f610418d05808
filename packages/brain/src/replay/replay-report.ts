import type { ReplayedCall } from './replay-calls.ts';

/** How a replay ended. */
export interface ReplayCounts {
  readonly calls: number;
  readonly same: number;
  readonly differs: number;
  readonly not_replayed: number;
  /** The number of calls by reason, the most frequent first. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Reasons that say nothing about the session: they differ in each run, or the call did nothing at the recording either. */
const HARMLESS: ReadonlySet<string> = new Set(['time', 'random', 'disk', 'timing', 'network', 'not run', 'refused']);

export function countReplay(calls: readonly ReplayedCall[]): ReplayCounts {
  const reasons = new Map<string, number>();
  for (const reason of calls.flatMap((call) => call.reasons)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const of = (state: ReplayedCall['state']): number => calls.filter((call) => call.state === state).length;
  return {
    calls: calls.length,
    same: of('same'),
    differs: of('differs'),
    not_replayed: of('not replayed'),
    reasons: Object.fromEntries([...reasons].toSorted(([, one], [, other]) => other - one)),
  };
}

/** Whether each call ended as recorded, but for what differs in each run. */
export const isFaithful = (calls: readonly ReplayedCall[]): boolean => calls.every(({ reasons }) => reasons.every((reason) => HARMLESS.has(reason)));
