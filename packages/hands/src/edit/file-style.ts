import { marksBlocks } from './block-marks.ts';
import { indentUnitOf, type IndentUnit } from './indent-unit.ts';
import { indentOf } from './tiers.ts';

/** What new text for a file is compared with. Each answer is found once, when it is first needed. */
export interface FileStyle {
  includes(text: string): boolean;
  /** Whether a line has this text apart from white space around it. */
  hasLine(text: string): boolean;
  /** Whether a line matches, by an expression with the flags `m` and `u`. */
  matches(pattern: RegExp): boolean;
  unit(): IndentUnit | undefined;
  /** Whether lines stand further in behind the mark of a block alone. */
  marksBlocks(): boolean;
  /** Whether a line of the file is indented like this one. Lines that begin with a star are compared with each other. */
  hasIndentOf(line: string): boolean;
  /** The same for lines that begin with a word, or with the same mark: a list of a Markdown file has another column than its headings. */
  hasStartOf(line: string): boolean;
}

function indentKey(line: string): string {
  const indent = indentOf(line);
  return line[indent.length] === '*' ? `${indent}*` : indent;
}

function startKey(line: string): string {
  const indent = indentOf(line);
  const first = line[indent.length] ?? '';
  return /\w/u.test(first) ? `${indent}w` : indent + first;
}

/** Creates the style of a file. */
export function fileStyle(text: string): FileStyle {
  const known = new Map<string, boolean>();
  const once = (key: string, work: () => boolean): boolean => {
    const answer = known.get(key) ?? work();
    known.set(key, answer);
    return answer;
  };
  let indents: Set<string> | undefined;
  let starts: Set<string> | undefined;
  let lines: Set<string> | undefined;
  let unit: { readonly found: IndentUnit | undefined } | undefined;
  return {
    includes: (part) => once(`has ${part}`, () => text.includes(part)),
    hasLine: (line) => (lines ??= new Set(text.split('\n').map((one) => one.trim()))).has(line),
    matches: (pattern) => once(`matches ${pattern.source}`, () => pattern.test(text)),
    unit: () => (unit ??= { found: indentUnitOf(text) }).found,
    marksBlocks: () => once('marks blocks', () => marksBlocks(text)),
    hasIndentOf(line) {
      indents ??= new Set(text.split('\n').flatMap((one) => (one.trim() === '' ? [] : [indentKey(one)])));
      return indents.has(indentKey(line));
    },
    hasStartOf(line) {
      starts ??= new Set(text.split('\n').flatMap((one) => (one.trim() === '' ? [] : [startKey(one)])));
      return starts.has(startKey(line));
    },
  };
}
