import { indentOf } from './tiers.ts';

/** What one level of indentation is: a tab, or so many spaces. */
export type IndentUnit = 'tab' | 2 | 3 | 4 | 8;

/** Widest first: what is a multiple of 8 is one of 4 and 2, too. */
const WIDTHS = [8, 4, 3, 2] as const;

/** Units that texts are indented by. */
export const INDENT_UNITS: readonly IndentUnit[] = ['tab', 2, 3, 4, 8];

/** An indentation in levels, and the spaces beyond them, as before the star of a comment. */
export interface Depth {
  readonly level: number;
  readonly rest: number;
}

/** An indentation in a unit; undefined where it is not made of it. */
export function depthOf(indent: string, unit: IndentUnit): Depth | undefined {
  if (unit === 'tab') {
    const rest = indent.replace(/^\t+/u, '');
    return /^ *$/u.test(rest) ? { level: indent.length - rest.length, rest: rest.length } : undefined;
  }
  return /^ *$/u.test(indent) ? { level: Math.floor(indent.length / unit), rest: indent.length % unit } : undefined;
}

/** The indentation of a depth. */
export function indentAt({ level, rest }: Depth, unit: IndentUnit): string {
  return (unit === 'tab' ? '\t'.repeat(level) : ' '.repeat(level * unit)) + ' '.repeat(rest);
}

/** Lines looked at to learn what a file is indented by. */
const MAX_LINES = 5_000;
/** So many of a hundred lines must agree. */
const AGREEMENT = 0.9;

/** What a text is indented by; undefined where it is not indented, or in no one way. */
export function indentUnitOf(text: string): IndentUnit | undefined {
  const widths = new Map<number, number>();
  let [tabs, lines] = [0, 0];
  for (let start = 0, seen = 0; start < text.length && seen < MAX_LINES; seen += 1) {
    const indent = indentOf(text, start);
    const next = text.indexOf('\n', start + indent.length);
    const first = text[start + indent.length];
    start = next === -1 ? text.length : next + 1;
    // Blank lines, and those of a block comment, which stand one space further in.
    if (indent === '' || first === undefined || first === '\n' || first === '*') continue;
    lines += 1;
    if (indent.startsWith('\t')) tabs += 1;
    else widths.set(indent.length, (widths.get(indent.length) ?? 0) + 1);
  }
  if (lines === 0) return undefined;
  if (tabs >= lines * AGREEMENT) return 'tab';
  return WIDTHS.find((width) => [...widths].reduce((sum, [length, count]) => sum + (length % width === 0 ? count : 0), 0) >= lines * AGREEMENT);
}
