import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { hunksOf, type LineHunk } from '../branch/merge-lines.ts';
import { changedPart } from './changed-part.ts';
import { linesOf } from './text-lines.ts';

/** A call of a program, or in a branch, that wrote a line. */
export interface NestedWriter {
  readonly by: 'hands';
  readonly call: string;
  readonly tool: string;
  readonly session?: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** When a text came that no call is known to have left: between two changes, by their numbers. */
export interface Between {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** The place of the file then. */
  readonly place: WorkspacePath;
  /** When the file was changed last, in milliseconds since 1970, if this is about how it is now. */
  readonly changedAt?: number | undefined;
}

/** Who wrote a line. `unknown`: the texts in between are not kept, so it was hands, or a person or another program. */
export type Writer =
  | { readonly by: 'before'; /** Its number in the first text, from 0. */ readonly line?: number }
  | { readonly by: 'person-or-other' | 'unknown'; readonly between?: Between }
  | {
      readonly by: 'hands';
      readonly entry: number;
      /** The call that wrote it, if the change is what several calls did: those of a program, or in a branch. */
      readonly nested?: NestedWriter;
      /** The writer before formatters. */
      readonly formatted?: Writer;
    };

/** The writer of each line that a change adds. */
export type WriterOf = Writer | ((line: number) => Writer);

/** A text with the writer of each line. */
export interface WrittenText {
  readonly lines: readonly string[];
  readonly writers: readonly Writer[];
  /** The text as a whole, if it is at hand: the next one is then only split where it differs. */
  readonly text?: string;
}

export const OTHER = { by: 'person-or-other' } as const satisfies Writer;
export const UNKNOWN: Writer = { by: 'unknown' };

/** A text that was there before anything is known of it. */
export function textBefore(text: string): WrittenText {
  const lines = linesOf(text);
  return { lines, writers: lines.map((_, line) => ({ by: 'before', line })), text };
}

/** What stays of a line that a formatter rewrites. */
const bare = (line: string): string => line.replaceAll(/[\s;,'"`()]+/gu, '');

/** What a change made of lines. Most change a few of many, so only the part that differs is compared. */
function changedLines(before: readonly string[], after: readonly string[]): LineHunk[] | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  // Nothing of it stays.
  const isWhole = old.length + fresh.length > 0 && (old.length === 0 || fresh.length === 0 || (old.length === 1 && fresh.length === 1));
  const hunks = isWhole ? [{ start: 0, end: old.length, lines: fresh }] : hunksOf(old, fresh);
  return hunks?.map((hunk) => ({ ...hunk, start: hunk.start + start, end: hunk.end + start }));
}

/** The text after a change: lines that stay keep their writers. */
export function rewritten(before: WrittenText, text: string, writer: WriterOf): WrittenText {
  const writerOf = typeof writer === 'function' ? writer : () => writer;
  const total = before.lines.length;
  const part = before.text === undefined ? undefined : changedPart(before.text, text, total);
  const { start: skipped, rest, lines: fresh } = part ?? { start: 0, rest: 0, lines: linesOf(text) };
  const lines = part === undefined ? fresh : before.lines.slice(0, skipped).concat(fresh, before.lines.slice(total - rest));
  const hunks = changedLines(before.lines.slice(skipped, total - rest), fresh);
  // Too different to be compared: all of it was written anew.
  if (hunks === undefined) return { lines, writers: lines.map((_, at) => writerOf(at)), text };
  const writers = before.writers.slice(0, skipped + (hunks[0]?.start ?? 0));
  let position = writers.length;
  for (const { start, end, lines: added } of hunks) {
    for (; position < skipped + start; position += 1) writers.push(before.writers[position] ?? UNKNOWN);
    // Each line of what was replaced stands for at most one new line.
    const replaced = before.lines
      .slice(skipped + start, skipped + end)
      .map((line, at) => ({ text: bare(line), writer: before.writers[skipped + start + at] ?? UNKNOWN }));
    for (const line of added) writers.push(formattedBy(line, replaced, writerOf(writers.length)));
    position = skipped + end;
  }
  return { lines, writers: writers.concat(before.writers.slice(position)), text };
}

/** The first writer of a line, whatever formatted it since. */
export const firstOf = (writer: Writer): Writer => (writer.by === 'hands' ? (writer.formatted ?? writer) : writer);

function formattedBy(line: string, replaced: Array<{ readonly text: string; readonly writer: Writer }>, writer: Writer): Writer {
  if (writer.by !== 'hands' || writer.formatted !== undefined) return writer;
  const wanted = bare(line);
  const at = wanted === '' ? -1 : replaced.findIndex(({ text }) => text === wanted);
  const [found] = at === -1 ? [] : replaced.splice(at, 1);
  return found === undefined ? writer : { ...writer, formatted: firstOf(found.writer) };
}
