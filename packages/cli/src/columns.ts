import { inLine } from './visible-text.ts';

/** Rows as text, each in one line, and each column as wide as its widest cell. */
export function columns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(inLine));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
