import { GUARD_MEANINGS, type Guard } from './guarded-location.ts';
import type { RuleReference } from './rule.ts';

/** A question that no rule of a person asks. */
export const BUILT_IN_ASK = { verdict: 'ask', layer: 'built-in', origin: 'Synapse' } as const;

/** The answer for rules that assume a sandbox, if a command runs without one. */
export const NOT_SANDBOXED: RuleReference = {
  ...BUILT_IN_ASK,
  text: 'built-in: not sandboxed',
  reason: 'no sandbox works here, so it could do whatever you can; --sandbox none stops these questions',
};

export function guardRule(guard: Guard): RuleReference {
  return { text: `built-in: ${guard}`, ...BUILT_IN_ASK, reason: GUARD_MEANINGS[guard] };
}
