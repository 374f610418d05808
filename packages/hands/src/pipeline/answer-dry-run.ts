import type { ContentBlock } from '@synapse/protocol';
import { changeLine, effectNotes, type ShownEffect } from '../dry-run/show-effect.ts';
import { withoutGitData } from '../dry-run/repository-changes.ts';
import { reasonFor } from '../policy/decision.ts';
import { describeAccess } from '../policy/access.ts';
import type { ExecutedCall, DryRunOutcome } from '../call/call.ts';
import { count } from '../text/amounts.ts';
import { undoNote } from './irreversible.ts';

/** Maximum number of listed effects. A patch of hundreds of files lists them as changes. */
const MAX_EFFECTS = 50;

/** The changes to list. The contents of a deleted folder are counted, not listed. */
function worthTelling(changes: ShownEffect['changes']): ShownEffect['changes'] {
  const deleted = changes.flatMap(({ kind, path }) => (kind === 'deleted' ? [path] : []));
  const topmost = (path: string): string | undefined => deleted.find((folder) => path.startsWith(`${folder}/`));
  const inside = new Map<string, number>();
  for (const path of deleted) {
    const folder = topmost(path);
    if (folder !== undefined) inside.set(folder, (inside.get(folder) ?? 0) + 1);
  }
  return changes
    .filter(({ kind, path }) => kind !== 'deleted' || topmost(path) === undefined)
    .map((change) => {
      const entries = change.kind === 'deleted' ? inside.get(change.path) : undefined;
      return entries === undefined ? change : { ...change, note: `a folder with ${count(entries, 'entry', 'entries')}` };
    });
}

/** The answer of a dry run: the effects, then the answer that the call would have. */
export function answerDryRun({ executed, effect, shown }: DryRunOutcome): ExecutedCall {
  const { decision, state, content } = executed;
  const effects = decision.accesses.filter(({ access }) => access.kind !== 'call').map(({ access }) => describeAccess(access));
  const { repositories = [], meaning = [], folded, asked: _, ...listed } = shown;
  state.dryRun = {
    verdict: decision.verdict,
    rule: decision.rule.text,
    reason: reasonFor(decision.decisive),
    effects: effects.slice(0, MAX_EFFECTS),
    ...listed,
    changes: [...shown.changes],
    ...(repositories.length === 0 ? {} : { repositories: [...repositories] }),
    ...(meaning.length === 0 ? {} : { meaning: [...meaning] }),
    ...(folded === undefined || folded.length === 0 ? {} : { folded: folded.map((folder) => ({ ...folder })) }),
    omitted: [...shown.omitted],
    cautions: [...shown.cautions],
  };
  const loss = undoNote(effect.tooLarge);
  const readable = withoutGitData(shown);
  const files = worthTelling(readable.changes).flatMap((change) => [
    changeLine(change),
    ...(change.diff === undefined ? [] : [change.diff.trimEnd()]),
  ]);
  const changes = [...files, ...readable.repositories];
  const lines = [
    'Dry run: nothing was changed.',
    ...(decision.verdict === 'allow' ? [] : [`For real it needs approval: ${reasonFor(decision.decisive)}.`]),
    ...(changes.length === 0
      ? ['It would change nothing in the workspace.']
      : ['It would:', ...meaning.map((sentence) => `- ${sentence}`), ...changes]),
    ...effectNotes(shown),
    ...(loss === undefined ? [] : [loss]),
    'It would answer:',
  ];
  const told: ContentBlock = { type: 'text', text: `${lines.join('\n')}\n` };
  const answer: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { ...executed, content: [told, ...answer] };
}
