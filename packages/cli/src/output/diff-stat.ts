import type { ShownChange } from '@synapse/hands';
import { columns } from './columns.ts';
import { visibleText } from './visible-text.ts';

/** Counts the added and removed lines of a diff. */
function linesOf(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diff.split('\n').filter((line) => !line.startsWith('+++') && !line.startsWith('---'));
  const begin = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: begin('+'), removed: begin('-') };
}

/** A line for each change: its path, and the number of lines. */
export function diffStat(changes: ReadonlyArray<Omit<ShownChange, 'current'>>): string {
  return columns(
    changes.map((change) => {
      const { added, removed } = linesOf(change.diff ?? '');
      return [change.kind, visibleText(change.path), added + removed === 0 ? '' : `+${added} -${removed}`];
    }),
  );
}
