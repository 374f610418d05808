import { withoutGitData } from '../dry-run/repository-changes.ts';
import { effectNotes, type EffectChange, type ShownEffect } from '../dry-run/show-effect.ts';

const VERBS: Record<EffectChange['kind'], string> = { created: 'creates', changed: 'changes', deleted: 'deletes', moved: 'moves' };

/** The effects of a command for an approver that is a program, one per line: what they mean first, then each change. */
export function effectLines(effect: ShownEffect): string[] {
  const { changes, repositories } = withoutGitData(effect);
  return [
    ...(effect.meaning ?? []),
    ...changes.map(({ kind, path, from }) => `${VERBS[kind]} ${from === undefined ? '' : `${from} → `}${path}`),
    ...repositories,
    ...effectNotes(effect),
  ];
}
