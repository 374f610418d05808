import { isUsualNote, withoutGitData } from '../dry-run/repository-changes.ts';
import { effectNotes, type ShownEffect } from '../dry-run/show-effect.ts';
import { VERBS } from '../meaning/change-sentences.ts';

/** The effects of a command for an approver that is a program, one per line: what they mean first, then each change. */
export function effectLines(effect: ShownEffect): string[] {
  const { changes, repositories } = withoutGitData(effect);
  return [
    ...(effect.meaning ?? []),
    // Such as where a link leads, or other permissions.
    ...changes.map(
      ({ kind, path, from, note = '' }) => `${VERBS[kind]} ${from === undefined ? '' : `${from} → `}${path}${isUsualNote(note) ? '' : ` (${note})`}`,
    ),
    ...repositories,
    ...effectNotes(effect),
  ];
}
