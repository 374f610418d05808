import { ambiguousMatch, noMatch, type SearchedFile } from '../edit/edit-errors.ts';
import { SHOWN_MATCHES } from '../edit/match-text.ts';
import type { Reindent } from '../edit/reindent.ts';
import { indentOf, TIERS, type Tier } from '../edit/tiers.ts';
import { createLineFinder, type LineFinder } from './find-lines.ts';
import { oldLines, type Chunk } from './patch.ts';
import { patchError, quoted } from './patch-error.ts';

/** The position of a chunk in the file. */
export interface PlacedChunk {
  readonly chunk: Chunk;
  /** Its first line in the file, from 0. */
  readonly line: number;
  readonly tier: Tier;
  /** Whether its context lines were read without marks. */
  readonly raw: boolean;
  /** Whether the space after its marks was left out. */
  readonly unspaced?: true;
  /** The indentation change for its lines, if the file indents them differently. */
  readonly reindent: Reindent | undefined;
}

interface Search {
  readonly file: SearchedFile;
  readonly finder: LineFinder;
  readonly chunk: Chunk;
  /** The name of the chunk in errors. */
  readonly name: string;
  /** The line after the previous chunk. */
  readonly cursor: number;
  /** The previous chunks. */
  readonly placed: readonly PlacedChunk[];
}

const ADVICE = 'Give more unchanged lines around the change, or a line before it behind @@.';

function ambiguous({ file, name, chunk }: Search, tier: Tier, found: readonly number[], advice = ADVICE): Error {
  const places = { tier, count: found.length, lines: found.slice(0, SHOWN_MATCHES) };
  return ambiguousMatch(file, name, places, advice, { patch_line: chunk.patchLine });
}

/** Returns possible lines of the last anchor. For each match of the first anchor, the others are searched after it, in order. */
function anchorLines({ finder, chunk }: Search, from: number): number[] {
  const [first, ...others] = chunk.anchors;
  if (first === undefined) return [];
  const places = (anchor: string, start: number): number[] => {
    for (const tier of TIERS) {
      const found = finder.find([anchor], tier, start);
      if (found.length > 0) return found;
    }
    return [];
  };
  let lines = places(first, from);
  for (const anchor of others) {
    const all = places(anchor, (lines[0] ?? 0) + 1);
    // Both lists ascend, so one pass finds the first match after each line.
    let index = 0;
    lines = lines.flatMap((line) => {
      while (index < all.length && (all[index] ?? 0) <= line) index += 1;
      const next = all[index];
      return next === undefined ? [] : [next];
    });
    lines = [...new Set(lines)];
  }
  return lines;
}

/** Returns the line behind the block that a line begins: the next one that is no further in, and does not only close a bracket. */
function endOfBlock({ lines }: SearchedFile, anchor: number): number {
  const indent = indentOf(lines.text(anchor)).length;
  for (let line = anchor + 1; line < lines.count; line += 1) {
    const text = lines.text(line);
    if (text.trim() !== '' && indentOf(text).length <= indent && !/^\s*(?:[)\]]|\{\s*$)/u.test(text)) return line;
  }
  return lines.count;
}

/**
 * Returns the matches that an anchor can mean: those in the block that it begins, if there are any, else those behind it. An
 * anchor that occurs several times means all of them.
 */
function behindAnchors(search: Search, found: readonly number[], isBlankOnly: boolean): number[] {
  for (const from of [search.cursor, 0]) {
    const anchors = anchorLines(search, from);
    const places = anchors.flatMap((anchor) => {
      const behind = found.filter((line) => line >= anchor);
      // Blank lines are everywhere: that one of them is in the block does not tell it from those behind.
      const end = behind.length > 1 && !isBlankOnly ? endOfBlock(search.file, anchor) : 0;
      const inside = behind.filter((line) => line < end);
      return inside.length > 0 ? inside : behind;
    });
    if (places.length > 0) return [...new Set(places)].toSorted((a, b) => a - b);
  }
  return [];
}

/** Returns the place of a chunk that keeps and removes nothing; undefined if it is before the previous chunk. */
function placeAddition(search: Search): number | undefined {
  const { file, chunk, cursor, name } = search;
  const [anchor] = chunk.anchors;
  if (anchor !== undefined) {
    const ahead = anchorLines(search, cursor);
    const lines = ahead.length > 0 ? ahead : anchorLines(search, 0);
    const [line] = lines;
    if (line === undefined) throw noMatch(file, `The @@ line of ${name}`, chunk.anchors.at(-1) ?? anchor, { patch_line: chunk.patchLine });
    if (lines.length > 1) throw ambiguous(search, 'exact', lines);
    return line + 1 < cursor ? undefined : line + 1;
  }
  if (file.lines.count === 0 || chunk.atEnd) return file.lines.count;
  throw unverified(search);
}

/** Creates the error for a chunk with only a line number, which nothing in the file confirms. */
function unverified({ file, chunk, name }: Search): Error {
  const before = chunk.start === undefined ? file.lines.count : Math.min(chunk.start, file.lines.count);
  const line = before === 0 ? 0 : before - 1;
  const place = before === 0 ? 'the line behind them' : 'the line before them';
  return patchError(
    chunk.patchLine,
    `begins ${name.toLowerCase()}, which adds lines to ${file.path} and has no unchanged line that shows where`,
    `Put ${place} into the hunk as an unchanged line, with a space before it. Line ${line + 1} of ${file.path} is ${quoted(file.lines.text(line))}.`,
  );
}

function choose(search: Search, tier: Tier, found: readonly number[], wanted: readonly string[]): number {
  const { chunk, file } = search;
  const [only] = found;
  const stated = chunk.start === undefined ? undefined : chunk.start - 1;
  // Blank lines are everywhere: one at the stated line confirms nothing.
  if (stated !== undefined && found.includes(stated) && !isBlank(wanted)) return stated;
  const last = file.lines.count - wanted.length;
  if (chunk.atEnd && found.includes(last)) return last;
  if (only !== undefined && found.length === 1) return only;
  const behind = chunk.anchors.length === 0 ? [] : behindAnchors(search, found, isBlank(wanted));
  if (behind[0] !== undefined && behind.length === 1) return behind[0];
  if (behind.length > 0 || chunk.anchors.length === 0) throw ambiguous(search, tier, behind.length > 0 ? behind : found);
  const anchors = chunk.anchors.map(quoted).join(' and ');
  throw ambiguous(
    search,
    tier,
    found,
    `None of them stands behind ${anchors}, as @@ says: give a whole line of the file there, or more unchanged lines.`,
  );
}

/** An interpretation of a chunk: the lines that the file must have. */
interface Reading {
  readonly raw: boolean;
  readonly wanted: readonly string[];
  /** The change that removes the space after the marks. */
  readonly unspaced?: Reindent;
}

/** Returns the reading in which the space after each - and + is not part of the line; undefined if a removed line has none. */
function unspaced(chunk: Chunk): Reading | undefined {
  const removed = chunk.lines.filter(({ kind, text }) => kind === 'remove' && text.trim() !== '');
  if (removed.length === 0 || !removed.every(({ text }) => text.startsWith(' '))) return undefined;
  const strip = (text: string): string => (text.startsWith(' ') ? text.slice(1) : text);
  const wanted = chunk.lines.flatMap(({ kind, text }) => (kind === 'add' ? [] : [kind === 'remove' ? strip(text) : text]));
  const apply = (text: string): string | undefined => {
    const lines = text.split('\n');
    return lines.every((line) => line === '' || line.startsWith(' ')) ? lines.map(strip).join('\n') : undefined;
  };
  return { raw: false, wanted, unspaced: { found: wanted.join('\n'), levels: 1, unit: () => undefined, hasIndentOf: () => true, apply } };
}

/** Returns the interpretations of a chunk. If any context line has no mark, none has. If all have a space, it may be part of the text. */
function readings(chunk: Chunk): readonly Reading[] {
  const asItStands = { raw: true, wanted: oldLines(chunk, true) };
  if (chunk.lines.some(({ unmarked }) => unmarked === true)) return [asItStands];
  const spaced = unspaced(chunk);
  return [{ raw: false, wanted: oldLines(chunk, false) }, asItStands, ...(spaced === undefined ? [] : [spaced])];
}

const STRICT = TIERS.slice(0, -1);

/** Whether all lines are blank, so that they do not identify a place. */
function isBlank(wanted: readonly string[]): boolean {
  return wanted.every((line) => line.trim() === '');
}

/** Returns the matches before the cursor that no previous chunk uses. */
function unused({ chunk, cursor, placed }: Search, found: readonly number[]): number[] {
  const { length } = oldLines(chunk, false);
  return found.filter((line) => line < cursor && placed.every((other) => line + length <= other.line || endOf(other) <= line));
}

/** Finds the place of a chunk; undefined if it is before the end of the previous chunk. */
function place(search: Search): PlacedChunk | undefined {
  const { file, finder, chunk, name, cursor } = search;
  const [first, ...others] = readings(chunk);
  const wanted = first?.wanted ?? [];
  if (first === undefined || wanted.length === 0) {
    const line = placeAddition(search);
    return line === undefined ? undefined : { chunk, line, tier: 'exact', raw: false, reindent: undefined };
  }
  // Fast path: most hunks are at their stated line, so no search is needed.
  if (chunk.start !== undefined && chunk.start > cursor && !isBlank(wanted) && finder.isAt(wanted, chunk.start - 1)) {
    return { chunk, line: chunk.start - 1, tier: 'exact', raw: first.raw, reindent: undefined };
  }
  // Brackets alone stand everywhere: without their indentation, they show no place.
  const hasWords = first.wanted.some((text) => /[\p{L}\p{N}_]/u.test(text));
  const attempts = [
    ...[first, ...(hasWords ? others : [])].flatMap((reading) => STRICT.map((tier) => ({ reading, tier }))),
    ...(hasWords ? [{ reading: first, tier: 'indentation' as const }] : []),
  ];
  for (const { reading, tier } of attempts) {
    const found = finder.find(reading.wanted, tier, cursor);
    if (found.length === 0) continue;
    // Only the order of the hunks would decide between the matches, and hunks can be in any order.
    const earlier = cursor === 0 || chunk.start !== undefined || chunk.anchors.length > 0 ? [] : unused(search, finder.find(reading.wanted, tier, 0));
    if (earlier.length > 0) throw ambiguous(search, tier, [...earlier, ...found]);
    const line = choose(search, tier, found, wanted);
    if (reading.raw && reading !== first) assertOneReading(search, first, line);
    if (reading.unspaced !== undefined) assertOnePlace(search, first, found);
    if (reading.unspaced !== undefined) return { chunk, line, tier, raw: false, unspaced: true, reindent: reading.unspaced };
    if (tier === 'indentation') assertIndentedPlace(search, reading.wanted, line);
    return { chunk, line, tier, raw: reading.raw, reindent: tier === 'indentation' ? finder.reindentAt(reading.wanted, line) : undefined };
  }
  if (cursor > 0 && attempts.some(({ reading, tier }) => finder.find(reading.wanted, tier, 0).length > 0)) return undefined;
  throw noMatch(file, name, wanted.join('\n'), { patch_line: chunk.patchLine });
}

/**
 * Checks a chunk that matched with one other indentation only. That is no evidence against another place that is alike, nor
 * against the place that the chunk was applied to before.
 */
function assertIndentedPlace(search: Search, wanted: readonly string[], line: number): void {
  const { finder, chunk, file, name } = search;
  if (new Set(wanted.filter((text) => text.trim() !== '').map((text) => indentOf(text))).size > 1) return;
  const alike = chunk.start === line + 1 ? [] : finder.findAlike(wanted);
  if (alike.length > 1) throw ambiguous(search, 'indentation', alike);
  const fresh = chunk.lines.filter(({ kind }) => kind !== 'remove').map(({ text }) => text);
  const [again] = fresh.join('').trim().length < MIN_TELLING_CHARACTERS ? [] : finder.findAlike(fresh);
  if (again !== undefined && again !== line) throw noMatch(file, name, wanted.join('\n'), { patch_line: chunk.patchLine }, again);
}

/** Minimum length, in characters, of new lines that are recognized elsewhere. Shorter ones occur by accident. */
const MIN_TELLING_CHARACTERS = 8;

/**
 * Checks a chunk whose context lines matched without marks. With marks, they may match one space further out. The new
 * lines would then move too, and only their indentation shows which reading is right. Throws if it is unclear.
 */
function assertOneReading({ finder, chunk, name, file }: Search, marked: Reading, line: number): void {
  const reindent = finder.reindentAt(marked.wanted, line);
  const added = chunk.lines.flatMap(({ kind, text }) => (kind === 'add' ? [text] : []));
  if (reindent === undefined || !finder.isAlike(marked.wanted, line) || finder.isIndented(added)) return;
  throw patchError(
    chunk.patchLine,
    `begins ${name.toLowerCase()}, whose unchanged lines stand in ${file.path} without the space before them, and how the new lines are indented is not clear`,
    'Put a space before each unchanged line, behind which it is exactly as in the file.',
  );
}

/** Checks that removed lines with a space too many are no lines of another place, indented otherwise. */
function assertOnePlace(search: Search, marked: Reading, found: readonly number[]): void {
  const others = search.finder.find(marked.wanted, 'indentation', 0).filter((line) => !found.includes(line));
  if (others.length > 0) throw ambiguous(search, 'indentation', [...found, ...others]);
}

function overlap({ file, chunk, name }: Search, other: PlacedChunk, line: number): Error {
  return patchError(
    chunk.patchLine,
    `begins ${name.toLowerCase()}, which belongs to line ${line + 1} of ${file.path}, as the hunk on line ${other.chunk.patchLine} of the patch does`,
    'Join hunks that overlap into one.',
  );
}

function endOf({ chunk, line }: PlacedChunk): number {
  return line + oldLines(chunk, false).length;
}

/**
 * Finds the place of every chunk. Searches in the order of the patch, each chunk after the previous one. If that fails,
 * searches each chunk independently. A stated line is used if the lines match there; otherwise they must occur only once,
 * or after an anchor.
 * @returns the chunks in the order of the file
 * @throws SynapseError `no_match`, `ambiguous_match`, `invalid_arguments` or `too_large`
 */
export function placeChunks(file: SearchedFile, chunks: readonly Chunk[]): PlacedChunk[] {
  const finder = createLineFinder(file.text, file.lines);
  const searches = chunks.map((chunk, index): Search => ({
    file,
    finder,
    chunk,
    name: `Hunk ${index + 1} (line ${chunk.patchLine} of the patch)`,
    cursor: 0,
    placed: [],
  }));
  return inOrder(searches) ?? inAnyOrder(searches);
}

/** Returns undefined if the chunks are not in the order of the file. */
function inOrder(searches: readonly Search[]): PlacedChunk[] | undefined {
  const starts = searches.flatMap(({ chunk }) => (chunk.start === undefined ? [] : [chunk.start]));
  if (starts.some((start, index) => start < (starts[index - 1] ?? 0))) return undefined;
  const placed: PlacedChunk[] = [];
  for (const search of searches) {
    const last = placed.at(-1);
    const next = place({ ...search, cursor: last === undefined ? 0 : endOf(last), placed });
    if (next === undefined) return undefined;
    placed.push(next);
  }
  return placed;
}

function inAnyOrder(searches: readonly Search[]): PlacedChunk[] {
  const placed = searches
    .map((search) => ({ search, one: place(search) }))
    .flatMap(({ search, one }) => (one === undefined ? [] : [{ search, one }]))
    .toSorted((a, b) => a.one.line - b.one.line);
  for (const [index, { search, one }] of placed.entries()) {
    const before = placed[index - 1];
    if (before !== undefined && endOf(before.one) > one.line) throw overlap(search, before.one, one.line);
  }
  return placed.map(({ one }) => one);
}
