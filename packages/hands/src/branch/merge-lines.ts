import { diffArrays } from 'diff';
import { detectEncoding } from '../text/detect-encoding.ts';

/** Maximum number of lines that a side adds and removes. The time of a comparison grows with its square: this takes less than a second. */
const MAX_EDITS = 2_000;

/** Lines of the base, from `start` to before `end`, that a side replaced. */
export interface LineHunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** What a side made of a list of lines; undefined if that is too much to be compared. */
export function hunksOf(base: string[], side: string[]): LineHunk[] | undefined {
  const parts = diffArrays(base, side, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return undefined;
  const hunks: LineHunk[] = [];
  let position = 0;
  for (const { added, removed, value, count } of parts) {
    if (!added && !removed) {
      position += count;
      continue;
    }
    const last = hunks.at(-1);
    const follows = last !== undefined && last.end === position;
    const start = follows ? last.start : position;
    if (removed) position += count;
    const lines = [...(follows ? last.lines : []), ...(added ? value : [])];
    if (follows) hunks.pop();
    hunks.push({ start, end: position, lines });
  }
  return hunks;
}

const isSame = (one: LineHunk, other: LineHunk): boolean =>
  one.start === other.start &&
  one.end === other.end &&
  one.lines.length === other.lines.length &&
  one.lines.every((line, at) => line === other.lines[at]);

/** Also hunks beside each other: neither side saw what the other made of the line before or after. */
export const touch = (one: LineHunk, other: LineHunk): boolean => one.start <= other.end && other.start <= one.end;

const comesFirst = (one: LineHunk | undefined, other: LineHunk | undefined): boolean =>
  other === undefined || (one !== undefined && one.start < other.start);

/** Merges what two sides made of a list of lines; undefined if both changed the same place, or places beside each other. */
export function mergeLines(base: string[], one: string[], other: string[]): string[] | undefined {
  const [mine, others] = [hunksOf(base, one), hunksOf(base, other)];
  if (mine === undefined || others === undefined) return undefined;
  const merged: string[] = [];
  let position = 0;
  const take = ({ start, end, lines }: LineHunk): void => {
    for (; position < start; position += 1) merged.push(base[position] ?? '');
    for (const line of lines) merged.push(line);
    position = end;
  };
  let [left, right] = [0, 0];
  for (;;) {
    const [first, second] = [mine[left], others[right]];
    if (first === undefined && second === undefined) break;
    if (first !== undefined && second !== undefined && touch(first, second)) {
      if (!isSame(first, second)) return undefined;
      left += 1;
      right += 1;
      take(first);
    } else if (comesFirst(first, second)) {
      left += 1;
      if (first !== undefined) take(first);
    } else {
      right += 1;
      if (second !== undefined) take(second);
    }
  }
  for (; position < base.length; position += 1) merged.push(base[position] ?? '');
  return merged;
}

/** Lines with their ends. Where bytes are characters, one character is one byte, so that malformed text stays as it is. */
function linesOf(bytes: Buffer, unit: string): string[] | undefined {
  if (unit === 'byte') return bytes.toString('latin1').split(/(?<=\n)/u);
  if (bytes.length % 2 !== 0) return undefined;
  return (unit === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le').split(/(?<=\n)/u);
}

function bytesOf(lines: readonly string[], unit: string): Buffer {
  if (unit === 'byte') return Buffer.from(lines.join(''), 'latin1');
  const bytes = Buffer.from(lines.join(''), 'utf16le');
  return unit === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Merges what two sides made of a text; undefined if they are no texts of one encoding, or changed the same lines. */
export async function mergeTexts(base: Buffer, one: Buffer, other: Buffer): Promise<Buffer | undefined> {
  const names = new Set<string>();
  let unit = 'byte';
  for (const bytes of [base, one, other]) {
    // An empty file is text in every encoding.
    if (bytes.length === 0) continue;
    const encoding = await detectEncoding(bytes);
    if (encoding === 'binary') return undefined;
    names.add(`${encoding.name} ${encoding.bom}`);
    if (encoding.name.startsWith('utf-16')) unit = encoding.name;
  }
  if (names.size > 1) return undefined;
  const [from, mine, others] = [base, one, other].map((bytes) => linesOf(bytes, unit));
  if (from === undefined || mine === undefined || others === undefined) return undefined;
  const merged = mergeLines(from, mine, others);
  return merged === undefined ? undefined : bytesOf(merged, unit);
}
