import type { FollowFile } from './follow-file.ts';
import { mostLineEnds, withLineEnd, type LineEnd } from './line-ends.ts';
import type { View } from './view.ts';

/** A part of a text and what is to stand there. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What is looked for, and what shall stand in its place; both with LF. */
export interface Wanted {
  readonly old: string;
  readonly new: string;
}

/** A place where a view of the old text was found in a view of the source. */
export interface Found {
  readonly source: string;
  readonly view: View;
  /** Where it begins in the view. */
  readonly position: number;
  readonly needle: View;
  /** Where it lies in the source. */
  readonly start: number;
  readonly end: number;
}

/** Why it is not clear what is to be written at a place. */
export type Unclear = 'indentation' | 'typography';

/**
 * What really changes at a place. What old and new text have in common at both ends is left out: there
 * the file keeps its own characters, also those that a looser tier took for equal.
 * @param follow writes what is new as the file writes
 * @param lineEnd for a part of the file that has no line ends, or as many of each
 */
export function changedPart(found: Found, wanted: Wanted, follow: FollowFile, lineEnd: () => LineEnd): Replacement | Unclear {
  const { source, view, position, needle } = found;
  const [kept, tail] = commonEnds(wanted.old, wanted.new);
  const headView = needle.fromSource(kept, 'before');
  const head = needle.toSource(headView, 'before');
  const tailView = needle.fromSource(wanted.old.length - tail, 'after');
  const tailStart = needle.toSource(tailView, 'after');
  // Undefined within a character that stands for several, such as an ellipsis: then that end is replaced whole.
  const from = headView === 0 ? undefined : view.toSource(position + headView, 'before');
  const to = tailView === needle.text.length ? undefined : view.toSource(position + tailView, 'before');
  const [start, textStart] = head === undefined || from === undefined ? [found.start, 0] : [from, head];
  const [end, textEnd] =
    tailStart === undefined || to === undefined ? [found.end, wanted.new.length] : [to, wanted.new.length - (wanted.old.length - tailStart)];
  const text = follow(textStart, textEnd);
  if (text === undefined) return 'typography';
  const used = text.includes('\n') ? (mostLineEnds(source, found.start, found.end) ?? lineEnd()) : '\n';
  return { start, end: Math.max(start, end), text: withLineEnd(text, used) };
}

/** How much two texts have in common at the beginning and, of the rest, at the end; never half a surrogate pair. */
export function commonEnds(a: string, b: string): readonly [head: number, tail: number] {
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a.charCodeAt(head) === b.charCodeAt(head)) head += 1;
  if (head > 0 && isHighSurrogate(a.charCodeAt(head - 1))) head -= 1;
  let tail = 0;
  while (tail < shorter - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail += 1;
  if (tail > 0 && isLowSurrogate(a.charCodeAt(a.length - tail))) tail -= 1;
  return [head, tail];
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
