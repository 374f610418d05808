import { size } from '../text/amounts.ts';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import type { Decision, JudgedAccess } from '../policy/decision.ts';
import type { RuleReference } from '../policy/rule.ts';

const IRREVERSIBLE = 'built-in: cannot be undone';

/** Whether a rule is the built-in one that asks about irreversible changes. */
export function isIrreversibleRule({ text }: RuleReference): boolean {
  return text === IRREVERSIBLE;
}

const changes = ({ access: { kind } }: JudgedAccess): boolean => kind === 'write' || kind === 'delete';

/** Turns an allowed decision into a question about its irreversible changes. */
export function askAboutIrreversible(decision: Decision, irreversible: readonly TooLargeToUndo[]): Decision {
  const access = decision.accesses.find(changes)?.access ?? decision.decisive.access;
  // A question already has its reason; the irreversible change is shown beside it.
  if (decision.verdict !== 'allow') return decision;
  const rule: RuleReference = {
    text: IRREVERSIBLE,
    verdict: 'ask',
    layer: 'built-in',
    origin: 'Synapse',
    reason: `it cannot be undone, because ${irreversibleReason(irreversible) ?? 'it is too large'}`,
  };
  return { ...decision, verdict: 'ask', rule, decisive: { access, verdict: 'ask', rule } };
}

/** Why a change is irreversible; undefined if it can be undone. */
export function irreversibleReason(facts: readonly TooLargeToUndo[]): string | undefined {
  const [first] = facts;
  if (first === undefined) return undefined;
  const more = facts.length === 1 ? '' : ` and ${facts.length - 1} more`;
  // A folder exceeds the limit on entries, which have no size.
  const why = first.bytes === 0 ? `more than ${first.limit} entries` : `${size(first.bytes)}${more}`;
  return `${first.path} (${why}) is more than the undo journal keeps`;
}

/** A note that a change is irreversible, and why; undefined if it can be undone. */
export function undoNote(facts: readonly TooLargeToUndo[]): string | undefined {
  const reason = irreversibleReason(facts);
  return reason === undefined ? undefined : `This cannot be undone: ${reason}.`;
}
