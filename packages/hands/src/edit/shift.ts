import { indentOf } from './tiers.ts';

/** A change of indentation that is the same for every line. */
export interface Shift {
  readonly kind: 'add' | 'remove';
  readonly indent: string;
}

/** The shift that turns one line's indentation into another's, if any. */
function shiftBetween(given: string, found: string): Shift | undefined {
  if (found.endsWith(given)) return { kind: 'add', indent: found.slice(0, found.length - given.length) };
  return given.endsWith(found) ? { kind: 'remove', indent: given.slice(0, given.length - found.length) } : undefined;
}

function shiftLine(shift: Shift, line: string): string | undefined {
  if (line.trim() === '') return line;
  if (shift.kind === 'add') return shift.indent + line;
  return line.startsWith(shift.indent) ? line.slice(shift.indent.length) : undefined;
}

/**
 * The one shift that turns every given line into the line that was found. Blank lines have none. The
 * lines are equal apart from their indentation, which the caller made sure of.
 * @param found gives the line for a given one; asked once for each, in order
 */
export function uniformShift(given: readonly string[], found: (index: number) => string): Shift | undefined {
  let shift: Shift | undefined;
  for (const [index, line] of given.entries()) {
    const foundLine = found(index);
    if (line.trim() === '') continue;
    const indent = indentOf(line);
    const other = indentOf(foundLine);
    shift ??= shiftBetween(indent, other);
    if (shift === undefined) return undefined;
    if (shift.kind === 'add' ? shift.indent + indent !== other : indent !== shift.indent + other) return undefined;
  }
  return shift;
}

/** Shifts every line of a text; undefined where a line has less indentation than is to be removed. */
export function shiftText(shift: Shift, text: string): string | undefined {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const shifted = shiftLine(shift, line);
    if (shifted === undefined) return undefined;
    lines.push(shifted);
  }
  return lines.join('\n');
}
