import { noMatch, type SearchedFile } from '../edit/edit-errors.ts';
import { TIERS, type Tier } from '../edit/tiers.ts';
import { anchorLines, behindAnchors } from './chunk-anchors.ts';
import { isBlank, type Reading, readings } from './chunk-readings.ts';
import { ambiguous, type PlacedChunk, type Search } from './chunk-search.ts';
import { createLineFinder } from './find-lines.ts';
import { oldLines, type Chunk } from './patch.ts';
import { patchError, quoted } from './patch-error.ts';
import { MIN_TELLING_CHARACTERS } from '../edit/lines.ts';

/** Returns the place of a chunk that keeps and removes nothing; undefined if it is before the previous chunk. */
function placeAddition(search: Search): number | undefined {
  const { file, chunk, cursor, name } = search;
  // Beside numbers, it is the line that begins the function, and not the one before the addition.
  const [anchor] = chunk.start === undefined ? chunk.anchors : [];
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
    `None of them is behind ${anchors}, as @@ says: give a whole line of the file there, or more unchanged lines.`,
  );
}

const STRICT = TIERS.slice(0, -1);

/** The line behind a chunk. */
function endOf({ chunk, line }: PlacedChunk): number {
  return line + oldLines(chunk, false).length;
}

/** Returns the matches before the cursor that no previous chunk uses. */
function unused({ chunk, cursor, placed }: Search, found: readonly number[]): number[] {
  const { length } = oldLines(chunk, false);
  return found.filter((line) => line < cursor && placed.every((other) => line + length <= other.line || endOf(other) <= line));
}

/** One way to look for a chunk. */
interface Attempt {
  readonly reading: Reading;
  readonly tier: Tier;
}

/** The ways to look for a chunk, the strictest first. Brackets alone stand everywhere: without their indentation, they show no place. */
function attemptsFor([first, ...others]: readonly [Reading, ...Reading[]]): Attempt[] {
  const hasWords = first.wanted.some((text) => /[\p{L}\p{N}_]/u.test(text));
  const strict = [first, ...(hasWords ? others : [])].flatMap((reading) => STRICT.map((tier) => ({ reading, tier })));
  return hasWords ? [...strict, { reading: first, tier: 'indentation' }] : strict;
}

/** Finds the place of a chunk; undefined if it is before the end of the previous chunk. */
function place(search: Search): PlacedChunk | undefined {
  const { file, finder, chunk, name, cursor } = search;
  const [first, ...others] = readings(chunk);
  if (first === undefined || first.wanted.length === 0) {
    const line = placeAddition(search);
    return line === undefined ? undefined : { chunk, line, tier: 'exact', raw: false, reindent: undefined };
  }
  // Fast path: most hunks are at their stated line, so no search is needed.
  if (chunk.start !== undefined && chunk.start > cursor && !isBlank(first.wanted) && finder.isAt(first.wanted, chunk.start - 1)) {
    return { chunk, line: chunk.start - 1, tier: 'exact', raw: first.raw, reindent: undefined };
  }
  const attempts = attemptsFor([first, ...others]);
  for (const attempt of attempts) {
    const found = finder.find(attempt.reading.wanted, attempt.tier, cursor);
    if (found.length > 0) return placeAt(search, attempt, first, found);
  }
  if (cursor > 0 && attempts.some(({ reading, tier }) => finder.find(reading.wanted, tier, 0).length > 0)) return undefined;
  throw noMatch(file, name, first.wanted.join('\n'), { patch_line: chunk.patchLine });
}

/** Chooses one of the lines that an attempt found. @throws SynapseError if it is not clear which */
function placeAt(search: Search, { reading, tier }: Attempt, first: Reading, found: readonly number[]): PlacedChunk {
  const { finder, chunk, cursor } = search;
  // Only the order of the hunks would decide between the matches, and hunks can be in any order.
  const isOrdered = cursor === 0 || chunk.start !== undefined || chunk.anchors.length > 0;
  const earlier = isOrdered ? [] : unused(search, finder.find(reading.wanted, tier, 0));
  if (earlier.length > 0) throw ambiguous(search, tier, [...earlier, ...found]);
  const line = choose(search, tier, found, first.wanted);
  if (reading.raw && reading !== first) assertOneReading(search, first, line);
  if (reading.unspaced !== undefined) {
    assertOnePlace(search, first, found);
    return { chunk, line, tier, raw: false, unspaced: true, reindent: reading.unspaced };
  }
  if (tier !== 'indentation') return { chunk, line, tier, raw: reading.raw, reindent: undefined };
  assertIndentedPlace(search, reading.wanted, line);
  return { chunk, line, tier, raw: reading.raw, reindent: finder.reindentAt(reading.wanted, line) };
}

/**
 * Checks a chunk that matched with another indentation only. That is no evidence against another place that is alike, nor
 * against the place that the chunk was applied to before.
 */
function assertIndentedPlace(search: Search, wanted: readonly string[], line: number): void {
  const { finder, chunk, file, name } = search;
  const alike = chunk.start === line + 1 ? [] : finder.findAlike(wanted);
  if (alike.length > 1) throw ambiguous(search, 'indentation', alike);
  const fresh = chunk.lines.filter(({ kind }) => kind !== 'remove').map(({ text }) => text);
  const [again] = fresh.join('').trim().length < MIN_TELLING_CHARACTERS ? [] : finder.findAlike(fresh);
  if (again !== undefined && again !== line) throw noMatch(file, name, wanted.join('\n'), { patch_line: chunk.patchLine }, again);
}

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
    `begins ${name.toLowerCase()}, whose unchanged lines are in ${file.path} without the space before them, and how the new lines are indented is not clear`,
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
