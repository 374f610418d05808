import { indentOf } from './tiers.ts';

/** One level of indentation: a tab, or a number of spaces. */
export type IndentUnit = 'tab' | 2 | 3 | 4 | 8;

/** Widest first: a multiple of 8 is also a multiple of 4 and 2. */
const WIDTHS = [8, 4, 3, 2] as const;

/** Supported indentation units. */
export const INDENT_UNITS: readonly IndentUnit[] = ['tab', 2, 3, 4, 8];

/** Indentation as levels and remaining spaces, such as the space before the star of a block comment. */
export interface Depth {
  readonly level: number;
  readonly rest: number;
}

/** Measures an indentation in a unit; undefined if it does not consist of that unit. */
export function depthOf(indent: string, unit: IndentUnit): Depth | undefined {
  if (unit === 'tab') {
    const rest = indent.replace(/^\t+/u, '');
    return /^ *$/u.test(rest) ? { level: indent.length - rest.length, rest: rest.length } : undefined;
  }
  return /^ *$/u.test(indent) ? { level: Math.floor(indent.length / unit), rest: indent.length % unit } : undefined;
}

/** Returns the indentation for a depth. */
export function indentAt({ level, rest }: Depth, unit: IndentUnit): string {
  return (unit === 'tab' ? '\t'.repeat(level) : ' '.repeat(level * unit)) + ' '.repeat(rest);
}

/** Maximum number of lines inspected to detect the indentation of a file. */
const MAX_LINES = 5_000;
/** Fraction of the indented lines that must use the unit. */
const AGREEMENT = 0.9;

/** Detects the indentation unit of a text; undefined if it is not indented or is inconsistent. */
export function indentUnitOf(text: string): IndentUnit | undefined {
  const widths = new Map<number, number>();
  let [tabs, lines] = [0, 0];
  for (let start = 0, seen = 0; start < text.length && seen < MAX_LINES; seen += 1) {
    const indent = indentOf(text, start);
    const next = text.indexOf('\n', start + indent.length);
    const first = text[start + indent.length];
    start = next === -1 ? text.length : next + 1;
    // Skips blank lines and lines of block comments, which have one extra space.
    if (indent === '' || first === undefined || first === '\n' || first === '*') continue;
    lines += 1;
    if (indent.startsWith('\t')) tabs += 1;
    else widths.set(indent.length, (widths.get(indent.length) ?? 0) + 1);
  }
  if (lines === 0) return undefined;
  if (tabs >= lines * AGREEMENT) return 'tab';
  return WIDTHS.find((width) => [...widths].reduce((sum, [length, count]) => sum + (length % width === 0 ? count : 0), 0) >= lines * AGREEMENT);
}
