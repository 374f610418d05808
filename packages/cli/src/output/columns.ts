import { inLine } from './visible-text.ts';

/** Maximum number of characters that the other rows are aligned to: one long path must not fill all of them with blanks. */
const MAX_ALIGNED = 100;

/** Formats rows as one line each, with aligned columns. */
export function columns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(inLine));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length > MAX_ALIGNED ? 0 : cell.length)));
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

/** The maximum terminal cells of a character. Non-ASCII characters count twice, so that a line is never too long. */
export function cells(character: string): number {
  return character < '\u0080' ? 1 : 2;
}

/** The maximum terminal cells of a text. */
export function width(text: string): number {
  let taken = 0;
  for (const character of text) taken += cells(character);
  return taken;
}

/** The beginning of a text that fits into a number of cells. */
export function beginning(text: string, room: number): string {
  let end = 0;
  let taken = 0;
  for (const character of text) {
    taken += cells(character);
    if (taken > room) break;
    end += character.length;
  }
  return text.slice(0, end);
}
