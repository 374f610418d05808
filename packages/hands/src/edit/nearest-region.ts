import { longestPrefix } from './find-all.ts';
import type { Lines } from './lines.ts';

/** Maximum number of characters compared per line. Lines that differ later are similar enough. */
const MAX_CHARACTERS = 400;

function bigrams(text: string): number[] {
  const end = Math.min(text.length, MAX_CHARACTERS);
  const found: number[] = [];
  for (let index = 1; index < end; index += 1) found.push(((text.charCodeAt(index - 1) * 31) ^ text.charCodeAt(index)) & 0xffff);
  return found;
}

/** Compares many lines with one. */
interface LineComparer {
  /** Similarity from 0 (nothing in common) to 1 (equal), by pairs of adjacent characters (Dice's coefficient). */
  similarity(line: string): number;
}

/** Prepares a line for comparison. Comparing takes linear time, so a whole file can be scanned. */
function createLineComparer(wanted: string): LineComparer {
  const counts = new Uint16Array(0x10000);
  const own = bigrams(wanted);
  for (const pair of own) counts[pair] = (counts[pair] ?? 0) + 1;
  return {
    similarity(line) {
      if (line === wanted) return 1;
      const pairs = bigrams(line);
      if (own.length + pairs.length === 0) return 0;
      let shared = 0;
      for (const pair of pairs) {
        const left = counts[pair] ?? 0;
        if (left === 0) continue;
        counts[pair] = left - 1;
        shared += 1;
      }
      // Restore the table for the next line.
      for (const pair of own) counts[pair] = 0;
      for (const pair of own) counts[pair] = (counts[pair] ?? 0) + 1;
      return (2 * shared) / (own.length + pairs.length);
    },
  };
}

/** The part of a file that is most similar to a text that was not found. */
export interface NearestRegion {
  /** First line, from 0. */
  readonly start: number;
  /** Line after the last one. */
  readonly end: number;
  /** Similarity from 0 to 1. */
  readonly similarity: number;
  readonly difference: Difference | undefined;
}

/** The first difference between a file and a text. Lines and columns count from 0. */
export interface Difference {
  readonly line: number;
  readonly column: number;
  readonly fileLine: string;
  readonly givenLine: string;
  /** Column in {@link givenLine}. */
  readonly givenColumn: number;
}

// Limits for one error message. A failed match must not cost more than a successful one.
const MAX_WANTED_LINES = 200;
const MAX_POSITIONS_PER_LINE = 64;
const MAX_CANDIDATES = 3;
const MAX_LINE_CHARACTERS = 10_000;
/** Minimum length of the text, in characters. A shorter one resembles many lines and does not identify any. */
const MIN_CHARACTERS = 4;
/** Minimum similarity to report. A less similar region does not help. */
const MIN_SIMILARITY = 0.3;

/** Returns candidate start lines. Each equal line votes for the start that puts it in place. */
function votes(lines: Lines, wanted: readonly string[]): Map<number, number> {
  const positions = new Map<string, number[]>();
  for (const line of wanted) if (line.trim() !== '') positions.set(line.trim(), []);
  for (let line = 0; line < lines.count; line += 1) {
    const known = positions.get(lines.text(line).trim());
    if (known !== undefined && known.length < MAX_POSITIONS_PER_LINE) known.push(line);
  }
  const weights = new Map<number, number>();
  for (const [index, line] of wanted.entries()) {
    const key = line.trim();
    // A frequent line, such as a brace, has little weight.
    const found = positions.get(key) ?? [];
    for (const position of found) {
      const start = Math.max(0, position - index);
      weights.set(start, (weights.get(start) ?? 0) + (key.length + 1) / found.length);
    }
  }
  return weights;
}

/** Returns the start line at which the longest wanted line fits best. */
function likestLine(lines: Lines, wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line, index) => (line.trim().length > (wanted[best]?.trim().length ?? 0) ? index : best), 0);
  const comparer = createLineComparer((wanted[longest] ?? '').trim());
  let best = { line: 0, similarity: 0 };
  for (let line = 0; line < lines.count; line += 1) {
    const similarity = comparer.similarity(lines.text(line).trim());
    if (similarity > best.similarity) best = { line, similarity };
  }
  return best.similarity === 0 ? undefined : Math.max(0, best.line - longest);
}

function score(lines: Lines, wanted: readonly string[], start: number): number {
  let total = 0;
  let reached = 0;
  for (const [index, line] of wanted.entries()) {
    const trimmed = line.trim();
    const weight = trimmed.length + 1;
    total += weight;
    if (start + index >= lines.count) continue;
    const other = lines.text(start + index).trim();
    if (trimmed === other) reached += weight;
    else if (trimmed !== '') reached += weight * createLineComparer(trimmed).similarity(other);
  }
  return total === 0 ? 0 : reached / total;
}

/** Returns the columns at which to compare a line whose beginning may be missing. */
function columnOf(fileLine: string, given: string): { file: number; given: number } {
  if (fileLine.startsWith(given.slice(0, 8))) return { file: 0, given: 0 };
  const indent = given.length - given.trimStart().length;
  const prefix = longestPrefix(fileLine.slice(0, MAX_LINE_CHARACTERS), given.slice(indent, MAX_LINE_CHARACTERS));
  const precededByText = fileLine.slice(0, prefix.position).trim() !== '';
  // After other text, the given line starts in the middle of the file's line. Without indentation, it may start after the file's.
  if (prefix.length > 0 && indent === 0 && !precededByText) return { file: prefix.position, given: 0 };
  return precededByText && prefix.length > 3 ? { file: prefix.position, given: indent } : { file: 0, given: 0 };
}

function firstDifference(lines: Lines, wanted: readonly string[], start: number): Difference | undefined {
  for (const [index, givenLine] of wanted.entries()) {
    const line = start + index;
    const fileLine = line < lines.count ? lines.text(line) : '';
    const from = index === 0 ? columnOf(fileLine, givenLine) : { file: 0, given: 0 };
    let length = 0;
    while (from.given + length < givenLine.length && givenLine[from.given + length] === fileLine[from.file + length]) length += 1;
    const givenEnds = from.given + length === givenLine.length;
    const isLast = index === wanted.length - 1;
    if (givenEnds && line < lines.count && (isLast || from.file + length === fileLine.length)) continue;
    return { line, column: from.file + length, fileLine, givenLine, givenColumn: from.given + length };
  }
  return undefined;
}

/**
 * Finds the part of a file that a text was probably meant to match. Takes linear time: counts equal lines and
 * compares only a few candidates in full.
 */
export function nearestRegion(text: string, lines: Lines, wanted: string): NearestRegion | undefined {
  const all = wanted.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (all.length > 1 && all.at(-1) === '') all.pop();
  const given = all.slice(0, MAX_WANTED_LINES);
  if (lines.count === 0 || wanted.trim().length < MIN_CHARACTERS) return undefined;
  const weights = votes(lines, given);
  const starts = [...weights.keys()].toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(0, MAX_CANDIDATES);
  const likest = starts.length === 0 ? likestLine(lines, given) : undefined;
  if (likest !== undefined) starts.push(likest);
  const prefix = longestPrefix(text, wanted);
  const prefixShare = prefix.length / wanted.length;
  const candidates = starts.map((start) => ({ start, similarity: score(lines, given, start) }));
  if (prefixShare > 0) candidates.push({ start: lines.at(prefix.position), similarity: prefixShare });
  const best = candidates.reduce((a, b) => (b.similarity > a.similarity ? b : a), { start: 0, similarity: 0 });
  if (best.similarity < MIN_SIMILARITY) return undefined;
  const end = Math.min(lines.count, best.start + all.length);
  // A region that differs only in white space is not equal, so the similarity stays below 1.
  return { start: best.start, end, similarity: Math.min(best.similarity, 0.99), difference: firstDifference(lines, given, best.start) };
}
