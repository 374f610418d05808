import type { Grant } from './grant.ts';
import type { LivePolicy } from './live-policy.ts';
import type { Mode } from './modes.ts';
import type { Verdict } from './verdict.ts';

/** What is in force: plain JSON. */
export interface PolicyReport {
  readonly mode: Mode;
  /** Where the mode was set. */
  readonly modeOrigin: string;
  /** The rules, the strictest first. Those of saved approvals are among them. */
  readonly rules: ReadonlyArray<{
    readonly verdict: Verdict;
    readonly rule: string;
    readonly layer: string;
    readonly origin: string;
    readonly reason?: string;
    /** Milliseconds since 1970. */
    readonly expiresAt?: number;
  }>;
  /** Approvals that are remembered, in the order that `revoke` counts them by, from 1. */
  readonly grants: readonly Grant[];
  /** What is ignored, and why. */
  readonly notices: readonly string[];
  /** What is wrong with the saved approvals. */
  readonly problems: readonly string[];
}

/** Tells what a policy holds. */
export function policyReport(policy: LivePolicy): PolicyReport {
  policy.refresh();
  const { mode, modeOrigin, rules, notices } = policy.current;
  return {
    mode,
    modeOrigin,
    rules: rules.map(({ verdict, text, layer, origin, reason, expiresAt }) => ({
      verdict,
      rule: text,
      layer,
      origin,
      ...(reason === undefined ? {} : { reason }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })),
    grants: policy.grants,
    notices,
    problems: policy.notices,
  };
}

/** Takes back an approval by its number in the report, or every one that holds a rule. Gives those taken back. */
export function revokeGrants(policy: LivePolicy, which: number | string): readonly Grant[] {
  policy.refresh();
  const numbered = typeof which === 'number' ? policy.grants[which - 1] : undefined;
  return policy.revoke((grant) => grant === numbered || (typeof which === 'string' && grant.rules.includes(which)));
}
