import type { ShownEffect } from '@synapse/hands';
import { withoutGitData } from '@synapse/hands/internal';
import { columns } from './columns.ts';
import { visibleText } from './visible-text.ts';

/** Counts the added and removed lines of a diff of one file. */
export function linesOf(diff: string): { readonly added: number; readonly removed: number } {
  const all = diff.split('\n');
  // The names of the files. Further down, such a line is a line of a file that begins with `--`, as comments of SQL do.
  const lines = all[0]?.startsWith('--- ') === true ? all.slice(2) : all;
  const begin = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: begin('+'), removed: begin('-') };
}

/** A line for each change: its path, and the number of lines. Git's own data is counted, after what happened to commits and branches. */
export function diffStat(effect: Pick<ShownEffect, 'changes' | 'repositories' | 'folded'>): string {
  const { changes, repositories } = withoutGitData(effect);
  const rows = changes.map((change) => {
    const { added, removed } = linesOf(change.diff ?? '');
    return [change.kind, visibleText(change.path), added + removed === 0 ? '' : `+${added} -${removed}`];
  });
  return columns(rows) + repositories.map((line) => `${visibleText(line)}\n`).join('');
}
