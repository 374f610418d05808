import type { ShownChange } from '@synapse/hands';
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

/** A line for each change: its path, and the number of lines. */
export function diffStat(changes: ReadonlyArray<Omit<ShownChange, 'current'>>): string {
  return columns(
    changes.map((change) => {
      const { added, removed } = linesOf(change.diff ?? '');
      return [change.kind, visibleText(change.path), added + removed === 0 ? '' : `+${added} -${removed}`];
    }),
  );
}
