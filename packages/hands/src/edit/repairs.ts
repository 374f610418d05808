import type { Wanted } from './changed-part.ts';

/** A possible intended form of a text that was not found. */
interface Repaired {
  readonly wanted: Wanted;
  /** Whether a match is acceptable. Default: each is. */
  readonly isPlace?: (source: string, start: number, end: number) => boolean;
}

/** Removes something that a model added around a text. */
export interface Repair {
  /** Describes what is removed. */
  readonly without: string;
  /** Undefined if the repair does not apply or is ambiguous. */
  apply(wanted: Wanted, source: string): Repaired | undefined;
}

/** Separators between a line number and its text: of cat -n, of this and other tools, of grep. */
const MARKS = ['\t', '→', ' | ', '| ', '|', ': ', ':'] as const;

/** Removes the line numbers; undefined if a line has none. */
function unnumbered(lines: readonly string[], mark: string): { numbers: number[]; lines: string[] } | undefined {
  const numbers: number[] = [];
  const texts: string[] = [];
  for (const line of lines) {
    const [digits] = /^ *\d{1,7}/u.exec(line) ?? [];
    const rest = digits === undefined ? undefined : line.slice(digits.length);
    // The spaces at the end of an empty line are easily lost. A number alone is one of a line only if it follows that of the line before it.
    const isEmpty = rest === mark.trimEnd() && (rest !== '' || numbers.at(-1) === Number(digits) - 1);
    if (rest === undefined || (!rest.startsWith(mark) && !isEmpty)) return undefined;
    numbers.push(Number(digits));
    texts.push(rest.slice(mark.length));
  }
  return { numbers, lines: texts };
}

/** Returns whether a position is on a line, which counts from 1. Finds the line once, as every match is asked about. */
function isOnLine(source: string, line: number): (source: string, position: number) => boolean {
  let start = 0;
  for (let number = 1; number < line && start !== -1; number += 1) start = source.indexOf('\n', start) + 1 || -1;
  const end = source.indexOf('\n', start);
  return (_, position) => start !== -1 && line > 0 && position >= start && (end === -1 || position <= end);
}

function withoutNumbers(mark: string): Repair {
  return {
    without: 'the line numbers',
    apply({ old, new: fresh }, source) {
      const [oldLines, oldEnd] = splitEnd(old);
      const given = unnumbered(oldLines, mark);
      if (given === undefined || given.numbers.some((number, index) => number !== (given.numbers[0] ?? 0) + index)) return undefined;
      const [newLines, newEnd] = splitEnd(fresh);
      const replaced = unnumbered(newLines, mark);
      // Numbers on only some lines may be text.
      if (replaced === undefined && newLines.some((line) => unnumbered([line], mark) !== undefined)) return undefined;
      const [first = 0] = given.numbers;
      return {
        wanted: { old: given.lines.join('\n') + oldEnd, new: (replaced?.lines ?? newLines).join('\n') + newEnd },
        // A single number may be text, unless it is the number of that line.
        ...(given.numbers.length > 1 ? {} : { isPlace: isOnLine(source, first) }),
      };
    },
  };
}

function splitEnd(text: string): readonly [lines: string[], end: string] {
  return text.endsWith('\n') ? [text.slice(0, -1).split('\n'), '\n'] : [text.split('\n'), ''];
}

/** For a file without a final line end, which readers of lines cannot see. */
const WITHOUT_LAST_LINE_END: Repair = {
  without: 'the line end after the last line, which the file does not have',
  apply: ({ old, new: fresh }, source) =>
    old.endsWith('\n') && !source.endsWith('\n')
      ? {
          wanted: { old: old.slice(0, -1), new: fresh.endsWith('\n') ? fresh.slice(0, -1) : fresh },
          isPlace: (_source, _start, end) => source.slice(end).trim() === '',
        }
      : undefined,
};

/** Returns the range between the leading and trailing empty lines. Uses loops: an expression would take quadratic time. */
function bodyOf(text: string): readonly [start: number, end: number] {
  const isEmpty = (from: number, to: number): boolean => text.slice(from, to).trim() === '';
  let start = 0;
  for (let next = text.indexOf('\n'); next !== -1 && isEmpty(start, next); next = text.indexOf('\n', start)) start = next + 1;
  let end = text.length;
  // The last line feed ends the last line; those before it end empty lines.
  for (
    let last = text.lastIndexOf('\n', end - 2);
    text[end - 1] === '\n' && last >= start && isEmpty(last, end);
    last = text.lastIndexOf('\n', end - 2)
  ) {
    end = last + 1;
  }
  return [start, end];
}

function isBlankLine(text: string): boolean {
  return text.includes('\n') && text.slice(0, text.indexOf('\n')).trim() === '';
}

function firstLine(text: string): string | undefined {
  return /^[ \t]*\S.*$/mu.exec(text)?.[0];
}

function lastLine(text: string): string | undefined {
  const end = text.trimEnd().length;
  const [line] = text.slice(text.lastIndexOf('\n', end - 1) + 1, end).split('\n');
  return line;
}

/** Longest indentation, in characters, that is looked at before a place. */
const MAX_INDENT = 1_000;

/** Removes empty lines before or after a text, and the same ones from the new text. */
function withoutEmpty(edges: { readonly head?: true; readonly tail?: true }): Repair {
  return {
    without: 'the empty lines around it',
    apply({ old, new: fresh }) {
      const [bodyStart, bodyEnd] = bodyOf(old);
      const [start, end] = [edges.head ? bodyStart : 0, edges.tail ? bodyEnd : old.length];
      if ((edges.head && start === 0) || (edges.tail && end === old.length)) return undefined;
      const [head, tail] = [old.slice(0, start), old.slice(end)];
      const from = fresh.startsWith(head) ? start : 0;
      // The new text has other empty lines there: how many are meant is not clear.
      if (from < start && isBlankLine(fresh)) return undefined;
      const to = tail !== '' && fresh.endsWith(tail) ? fresh.length - tail.length : fresh.length;
      const wanted = { old: old.slice(start, end), new: fresh.slice(from, Math.max(from, to)) };
      const first = firstLine(wanted.new);
      // What is before the place already would be there twice. Behind an empty line, the text begins a line.
      const isPlace = (source: string, place: number): boolean =>
        /(?:^|\n)[ \t]*$/u.test(source.slice(Math.max(0, place - MAX_INDENT), place)) &&
        (first === undefined || firstLine(wanted.old) === first || lastLine(source.slice(0, place)) !== first);
      return { wanted, ...(edges.head ? { isPlace } : {}) };
    },
  };
}

/** Tried in this order, so that as little as possible is removed. */
const EDGES = [{ tail: true }, { head: true }, { head: true, tail: true }] as const;

/** Repairs for a text that was not found, tried in order and one at a time. */
export const REPAIRS: readonly Repair[] = [WITHOUT_LAST_LINE_END, ...MARKS.map(withoutNumbers), ...EDGES.map(withoutEmpty)];
