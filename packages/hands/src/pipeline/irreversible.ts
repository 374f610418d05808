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

/**
 * Whether every change was allowed explicitly, with a rule, an approval or `--yes`. A mode that allows
 * changes does not allow irreversible ones.
 */
export function isAllowedByName({ accesses }: Decision): boolean {
  return accesses.every(
    (judged) => !changes(judged) || (judged.verdict === 'allow' && judged.rule.layer !== 'mode' && judged.rule.layer !== 'built-in'),
  );
}

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

/** Whether a rule or an approval allowed a command, rather than a mode. */
export function isCommandAllowedByName({ accesses }: Decision): boolean {
  const commands = accesses.filter(({ access }) => access.kind === 'exec');
  return commands.length > 0 && commands.every(({ verdict, rule }) => verdict === 'allow' && rule.layer !== 'mode' && rule.layer !== 'built-in');
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
