import { indentOf } from './tiers.ts';

const opens = (line: string): boolean => line.trimStart().startsWith('/*') && !line.includes('*/');
const isStar = (line: string): boolean => line.trimStart().startsWith('*');

/** The white space before the star of a line, behind that of the line that opens the comment. */
function starIndents(lines: readonly string[], visit: (index: number, opening: string | undefined) => void): void {
  let opening: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (isStar(line)) visit(index, opening);
    if (opens(line)) opening = indentOf(line);
    else if (line.includes('*/')) opening = undefined;
  }
}

/**
 * Puts the stars of block comments in the column that they have in the file: one space behind the slash of the opening
 * line, which no level of indentation can express.
 * @param found lines of the file
 */
export function keepStars(lines: readonly string[], found: readonly string[]): string[] {
  const known = new Set<string>();
  let isUsual = true;
  starIndents(found, (index, opening) => {
    const indent = indentOf(found[index] ?? '');
    known.add(indent);
    if (opening !== undefined && indent !== `${opening} `) isUsual = false;
  });
  if (!isUsual) return [...lines];
  const [only] = known;
  const result = [...lines];
  starIndents(lines, (index, opening) => {
    const indent = opening === undefined ? (known.size === 1 ? only : undefined) : `${opening} `;
    if (indent !== undefined) result[index] = indent + (lines[index] ?? '').trimStart();
  });
  return result;
}
