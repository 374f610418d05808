import type { ShownEffect } from '@synapse/hands';
import { type DiffLines, diffLines, withoutGitData } from '@synapse/hands/internal';
import { columns } from './columns.ts';
import { visibleText } from './visible-text.ts';

/** How many lines a change adds and removes, also where its diff was cut. */
export const linesOf = ({ diff = '', lines = diffLines(diff) }: Pick<ShownEffect['changes'][number], 'diff' | 'lines'>): DiffLines => lines;

/** A line for each change: its path, and the number of lines. Git's own data is counted, after what happened to commits and branches. */
export function diffStat(effect: Pick<ShownEffect, 'changes' | 'repositories' | 'folded'>): string {
  const { changes, repositories } = withoutGitData(effect);
  const rows = changes.map((change) => {
    const { added, removed } = linesOf(change);
    return [change.kind, visibleText(change.path), added + removed === 0 ? '' : `+${added} -${removed}`];
  });
  return columns(rows) + repositories.map((line) => `${visibleText(line)}\n`).join('');
}
