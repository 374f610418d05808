import type { Grant } from './grant.ts';
import type { PolicyStore } from './policy-store.ts';
import type { Mode } from './modes.ts';
import type { Verdict } from './rule.ts';

/** The policy in force, as plain JSON. */
export interface PolicyReport {
  readonly mode: Mode;
  /** Where the mode was set. */
  readonly modeOrigin: string;
  /** The rules, strictest first, including those of saved approvals. */
  readonly rules: ReadonlyArray<{
    readonly verdict: Verdict;
    readonly rule: string;
    readonly layer: string;
    readonly origin: string;
    readonly reason?: string;
    /** Milliseconds since 1970. */
    readonly expiresAt?: number;
  }>;
  /** Saved approvals, in the order of their numbers for `revoke`, from 1. */
  readonly grants: readonly Grant[];
  /** What is ignored, and why. */
  readonly notices: readonly string[];
  /** Rules that cannot be read, with file and line, and problems with the saved approvals. */
  readonly problems: readonly string[];
}

/** Describes a policy. */
export function policyReport(policy: PolicyStore): PolicyReport {
  policy.refresh();
  const { mode, modeOrigin, rules, notices, problems } = policy.current;
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
    problems: [...problems, ...policy.notices],
  };
}

/** Revokes an approval by its number in the report, or all that contain a rule. Returns the revoked approvals. */
export function revokeGrants(policy: PolicyStore, which: number | string): readonly Grant[] {
  policy.refresh();
  const numbered = typeof which === 'number' ? policy.grants[which - 1] : undefined;
  return policy.revoke((grant) => grant === numbered || (typeof which === 'string' && grant.rules.includes(which)));
}
