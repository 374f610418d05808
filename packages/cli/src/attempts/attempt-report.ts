import type { AppliedBranch } from '@synapse/hands';
import type { CallResult } from '@synapse/protocol';
import type { Attempt } from './attempt.ts';
import { changeSize } from './rank-attempts.ts';

/** What became of attempts. */
export interface Outcome {
  readonly applied: { readonly branch: string; readonly result: CallResult<AppliedBranch> } | undefined;
  /** Names of branches. */
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
}

/** Attempts and what became of them, for programs. */
export function attemptReport(ranked: readonly Attempt[], command: string | undefined, { applied, kept, dropped }: Outcome) {
  return {
    check: command ?? null,
    attempts: ranked.map((attempt) => {
      const { branch, model, session, status, reason, text, check, changes, calls, tokens, costUsd, durationMs, effect } = attempt;
      const { added, removed } = changeSize(attempt);
      return {
        branch,
        model: model ?? null,
        session: session ?? null,
        status,
        reason: reason ?? null,
        text,
        check: check ?? null,
        changes,
        added,
        removed,
        calls,
        tokens,
        cost_usd: costUsd,
        duration_ms: durationMs,
        effect: effect ?? null,
      };
    }),
    applied: applied ?? null,
    kept,
    dropped,
  };
}
