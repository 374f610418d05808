import type { FollowFile } from './follow-file.ts';
import { type LineEnd, mostLineEnds, withLineEnd } from './lines.ts';
import type { View } from './tiers.ts';

/** A part of a text and its replacement. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text to search for and its replacement, both with LF. */
export interface Wanted {
  readonly old: string;
  readonly new: string;
}

/** A match of a view of the old text in a view of the source. */
export interface Found {
  readonly source: string;
  readonly view: View;
  /** Start of the match in the view. */
  readonly position: number;
  readonly needle: View;
  /** Start of the match in the source. */
  readonly start: number;
  readonly end: number;
}

/** Why the replacement for a match is ambiguous. */
export type Unclear = 'indentation' | 'typography';

/**
 * Returns the part of a match that changes. The common start and end of the old and new text are left out: there
 * the file keeps its characters, including those that a looser tier treats as equal.
 * @param follow writes new text in the file's style
 * @param lineEnd the line end for a part of the file that has none, or equally many of each kind
 */
export function changedPart(found: Found, wanted: Wanted, follow: FollowFile, lineEnd: () => LineEnd): Replacement | Unclear {
  const { source, view, position, needle } = found;
  const [common, tail] = commonEnds(wanted.old, wanted.new);
  const kept = beforeLineEnd(wanted.new, common);
  const headView = needle.fromSource(kept, 'before');
  const head = needle.toSource(headView, 'before');
  const tailView = needle.fromSource(wanted.old.length - tail, 'after');
  const tailStart = needle.toSource(tailView, 'after');
  // Undefined inside a character that expands to several, such as an ellipsis: that end is then replaced as a whole.
  const from = headView === 0 ? undefined : view.toSource(position + headView, 'before');
  const to = tailView === needle.text.length ? undefined : view.toSource(position + tailView, 'before');
  const [start, textStart] = head === undefined || from === undefined ? [found.start, 0] : [from, head];
  const [end, textEnd] =
    tailStart === undefined || to === undefined ? [found.end, wanted.new.length] : [to, wanted.new.length - (wanted.old.length - tailStart)];
  const text = follow(textStart, textEnd);
  if (text === undefined) return 'typography';
  const used = text.includes('\n') ? (mostLineEnds(source, found.start, found.end) ?? lineEnd()) : '\n';
  const behind = tailStart === undefined ? end : behindShownEnd(source, end, wanted.old, tailStart);
  return { start, end: Math.max(start, behind), text: withLineEnd(text, used) };
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t';

/**
 * Moves the end of a part of the file behind the white space at the end of its line, where the old text shows that white space too:
 * then it belongs to the part, and the new text has it or is meant to lose it.
 */
function behindShownEnd(source: string, end: number, old: string, oldEnd: number): number {
  let behind = end;
  while (isBlank(source[behind])) behind += 1;
  if (behind === end || old[oldEnd] !== '\n' || !/[\r\n]/u.test(source[behind] ?? '')) return end;
  let shown = oldEnd;
  while (isBlank(old[shown - 1])) shown -= 1;
  return old.slice(shown, oldEnd).startsWith(source.slice(end, behind)) ? behind : end;
}

/** Moves a position out of the white space at the end of a line, which new text may be without. */
function beforeLineEnd(text: string, position: number): number {
  let end = position;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  if (end < text.length && text[end] !== '\n') return position;
  let start = position;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return start;
}

/** Returns the length of the common prefix and, in the remainder, of the common suffix. Never splits a surrogate pair. */
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
