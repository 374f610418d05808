import type { TooLargeToUndo } from '../journal/capture.ts';
import type { Decision, JudgedPart } from '../policy/decision.ts';
import type { RuleReference } from '../policy/rule.ts';
import { lossReason } from './undo-note.ts';

const LOSS = 'built-in: cannot be undone';

/** Whether a rule is the one that asks about what is lost for good. */
export function isLoss({ text }: RuleReference): boolean {
  return text === LOSS;
}

const changes = ({ part: { kind } }: JudgedPart): boolean => kind === 'write' || kind === 'delete';

/**
 * Whether every change was allowed by somebody who said so, with a rule, an approval or `--yes`. That a mode lets
 * changes happen is no word about losing something for good.
 */
export function isAllowedByName({ parts }: Decision): boolean {
  return parts.every(
    (judged) => !changes(judged) || (judged.verdict === 'allow' && judged.rule.layer !== 'mode' && judged.rule.layer !== 'built-in'),
  );
}

/** What is lost for good is asked about, whatever else was decided. */
export function withLosses(decision: Decision, losses: readonly TooLargeToUndo[]): Decision {
  const part = decision.parts.find(changes)?.part ?? decision.decisive.part;
  // What is asked about already has its reason; the loss is told beside it.
  if (decision.verdict !== 'allow') return decision;
  const rule: RuleReference = {
    text: LOSS,
    verdict: 'ask',
    layer: 'built-in',
    origin: 'Synapse',
    reason: lossReason(losses) ?? '',
  };
  return { ...decision, verdict: 'ask', rule, decisive: { part, verdict: 'ask', rule } };
}
