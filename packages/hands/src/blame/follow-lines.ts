import { hunksOf } from '../branch/merge-lines.ts';

/** Who wrote a line. `unknown`: the texts in between are not kept, so it was hands, or a person or another program. */
export type Writer =
  | { readonly by: 'before' | 'person-or-other' | 'unknown' }
  | { readonly by: 'hands'; readonly entry: number; /** The writer before a formatter. */ readonly formatted?: Writer };

/** A text with the writer of each line. */
export interface WrittenText {
  readonly lines: readonly string[];
  readonly writers: readonly Writer[];
}

const BEFORE: Writer = { by: 'before' };
export const OTHER: Writer = { by: 'person-or-other' };
export const UNKNOWN: Writer = { by: 'unknown' };

/** The lines of a text, without their ends. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A text that was there before anything is known of it. */
export function textBefore(text: string): WrittenText {
  const lines = linesOf(text);
  return { lines, writers: lines.map(() => BEFORE) };
}

/** What stays of a line that a formatter rewrites. */
const bare = (line: string): string => line.replaceAll(/[\s;,'"`()]+/gu, '');

/** The text after a change: lines that stay keep their writers. */
export function rewritten(before: WrittenText, text: string, writer: Writer): WrittenText {
  const lines = linesOf(text);
  const hunks = hunksOf([...before.lines], lines);
  // Too different to be compared: all of it was written anew.
  if (hunks === undefined) return { lines, writers: lines.map(() => writer) };
  const writers: Writer[] = [];
  let position = 0;
  for (const { start, end, lines: added } of hunks) {
    writers.push(...before.writers.slice(position, start));
    // Each line of what was replaced stands for at most one new line.
    const replaced = before.lines.slice(start, end).map((line, at) => ({ text: bare(line), writer: before.writers[start + at] ?? BEFORE }));
    for (const line of added) writers.push(formattedBy(line, replaced, writer));
    position = end;
  }
  writers.push(...before.writers.slice(position));
  return { lines, writers };
}

function formattedBy(line: string, replaced: Array<{ readonly text: string; readonly writer: Writer }>, writer: Writer): Writer {
  if (writer.by !== 'hands') return writer;
  const wanted = bare(line);
  const at = wanted === '' ? -1 : replaced.findIndex(({ text }) => text === wanted);
  const [found] = at === -1 ? [] : replaced.splice(at, 1);
  return found === undefined ? writer : { ...writer, formatted: found.writer };
}
