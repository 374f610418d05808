import type { ContentBlock } from '@synapse/protocol';
import { changeLine, effectNotes } from '../dry-run/show-effect.ts';
import { reasonFor } from '../policy/decision.ts';
import { describePart } from '../policy/part.ts';
import type { ExecutedCall, Rehearsed } from './call.ts';
import { undoNote } from './undo-note.ts';

/** Effects that are named; a patch of hundreds of files names them as changes. */
const MAX_EFFECTS = 50;

/** The answer of a dry run: what would be done, in front of what the call would have answered. */
export function answerDryRun({ executed, effect, shown }: Rehearsed): ExecutedCall {
  const { decision, facts, content } = executed;
  const effects = decision.parts.filter(({ part }) => part.kind !== 'call').map(({ part }) => describePart(part));
  facts.dryRun = {
    verdict: decision.verdict,
    rule: decision.rule.text,
    reason: reasonFor(decision.decisive),
    effects: effects.slice(0, MAX_EFFECTS),
    ...shown,
    changes: [...shown.changes],
    omitted: [...shown.omitted],
    cautions: [...shown.cautions],
  };
  const loss = undoNote(effect.tooLarge);
  const changes = shown.changes.flatMap((change) => [changeLine(change), ...(change.diff === undefined ? [] : [change.diff.trimEnd()])]);
  const lines = [
    'Dry run: nothing was changed.',
    ...(decision.verdict === 'allow' ? [] : [`For real it needs approval: ${reasonFor(decision.decisive)}.`]),
    ...(changes.length === 0 ? ['It would change nothing in the workspace.'] : ['It would:', ...changes]),
    ...effectNotes(shown),
    ...(loss === undefined ? [] : [loss]),
    'It would answer:',
  ];
  const told: ContentBlock = { type: 'text', text: `${lines.join('\n')}\n` };
  const answer: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { ...executed, content: [told, ...answer] };
}
