import { ambiguousMatch, noMatch, type SearchedFile } from '../edit/edit-errors.ts';
import { SHOWN_MATCHES } from '../edit/match-text.ts';
import type { Reindent } from '../edit/reindent.ts';
import { TIERS, type Tier } from '../edit/tiers.ts';
import { createLineFinder, type LineFinder } from './find-lines.ts';
import { oldLines, type Chunk } from './patch.ts';
import { patchError, quoted } from './patch-error.ts';

/** Where a chunk applies. */
export interface PlacedChunk {
  readonly chunk: Chunk;
  /** First line of the file that it is about, from 0. */
  readonly line: number;
  readonly tier: Tier;
  /** Whether its unchanged lines were taken as they stand, without a mark before them. */
  readonly raw: boolean;
  /** How its lines are to be indented, where the file indents them otherwise. */
  readonly reindent: Reindent | undefined;
}

interface Search {
  readonly file: SearchedFile;
  readonly finder: LineFinder;
  readonly chunk: Chunk;
  /** How errors call the chunk. */
  readonly name: string;
  /** First line behind the chunk before. */
  readonly cursor: number;
  /** The chunks before it. */
  readonly placed: readonly PlacedChunk[];
}

const ADVICE = 'Give more unchanged lines around the change, or a line before it behind @@.';

function ambiguous({ file, name, chunk }: Search, tier: Tier, found: readonly number[], advice = ADVICE): Error {
  const places = { tier, count: found.length, lines: found.slice(0, SHOWN_MATCHES) };
  return ambiguousMatch(file, name, places, advice, { patch_line: chunk.patchLine });
}

/** Where the last of the anchors may be: for each place of the first one, the others are searched behind it, in order. */
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
    // Both lists ascend, so the first place behind each is found in one pass.
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

/** The places that come first behind an anchor. */
function behindAnchors(search: Search, found: readonly number[]): number[] {
  for (const from of [search.cursor, 0]) {
    const anchors = anchorLines(search, from);
    let index = 0;
    const places = anchors.flatMap((anchor) => {
      while (index < found.length && (found[index] ?? 0) < anchor) index += 1;
      const place = found[index];
      return place === undefined ? [] : [place];
    });
    if (places.length > 0) return [...new Set(places)];
  }
  return [];
}

/** Where a chunk goes that keeps and removes nothing; undefined where that is before the chunk before it. */
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

/** A number alone says where lines go, and nothing in the file confirms it. */
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
  // Blank lines are everywhere: that there is one where the patch says confirms nothing.
  if (stated !== undefined && found.includes(stated) && !isBlank(wanted)) return stated;
  const last = file.lines.count - wanted.length;
  if (chunk.atEnd && found.includes(last)) return last;
  if (only !== undefined && found.length === 1) return only;
  const behind = chunk.anchors.length === 0 ? [] : behindAnchors(search, found);
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

/** A reading of a chunk: the lines that the file must have. */
interface Reading {
  readonly raw: boolean;
  readonly wanted: readonly string[];
}

/** The marks before unchanged lines are missing where one of them has none; where all have a space, it may be their own. */
function readings(chunk: Chunk): readonly Reading[] {
  const asItStands = { raw: true, wanted: oldLines(chunk, true) };
  if (chunk.lines.some(({ unmarked }) => unmarked === true)) return [asItStands];
  return [{ raw: false, wanted: oldLines(chunk, false) }, asItStands];
}

const STRICT = TIERS.slice(0, -1);

/** Whether no line of them says where it stands. */
function isBlank(wanted: readonly string[]): boolean {
  return wanted.every((line) => line.trim() === '');
}

/** The places before the cursor that no chunk before has taken. */
function unused({ chunk, cursor, placed }: Search, found: readonly number[]): number[] {
  const { length } = oldLines(chunk, false);
  return found.filter((line) => line < cursor && placed.every((other) => line + length <= other.line || endOf(other) <= line));
}

/** Where a chunk goes; undefined where that is before the end of the chunk before it. */
function place(search: Search): PlacedChunk | undefined {
  const { file, finder, chunk, name, cursor } = search;
  const [first, ...others] = readings(chunk);
  const wanted = first?.wanted ?? [];
  if (first === undefined || wanted.length === 0) {
    const line = placeAddition(search);
    return line === undefined ? undefined : { chunk, line, tier: 'exact', raw: false, reindent: undefined };
  }
  // Most hunks are where they say; then nothing has to be searched.
  if (chunk.start !== undefined && chunk.start > cursor && !isBlank(wanted) && finder.isAt(wanted, chunk.start - 1)) {
    return { chunk, line: chunk.start - 1, tier: 'exact', raw: first.raw, reindent: undefined };
  }
  const attempts = [
    ...[first, ...others].flatMap((reading) => STRICT.map((tier) => ({ reading, tier }))),
    { reading: first, tier: 'indentation' as const },
  ];
  for (const { reading, tier } of attempts) {
    const found = finder.find(reading.wanted, tier, cursor);
    if (found.length === 0) continue;
    // That it is behind the hunk before is all that tells one place from another, and hunks come in any order.
    const earlier = cursor === 0 || chunk.start !== undefined || chunk.anchors.length > 0 ? [] : unused(search, finder.find(reading.wanted, tier, 0));
    if (earlier.length > 0) throw ambiguous(search, tier, [...earlier, ...found]);
    const line = choose(search, tier, found, wanted);
    if (reading !== first) assertOneReading(search, first, line);
    return { chunk, line, tier, raw: reading.raw, reindent: tier === 'indentation' ? finder.reindentAt(reading.wanted, line) : undefined };
  }
  if (cursor > 0 && attempts.some(({ reading, tier }) => finder.find(reading.wanted, tier, 0).length > 0)) return undefined;
  throw noMatch(file, name, wanted.join('\n'), { patch_line: chunk.patchLine });
}

/**
 * Unchanged lines were found as they stand, without a mark. With one they may be there as well, one space further out: then
 * the new lines would be, too, and only their own indentation tells which is meant.
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
 * Finds the place of every chunk. They are searched in the order of the patch, each behind the one before; where that
 * fails, in any order, each by itself. A stated line is taken where the lines are there; else they must be found only once,
 * or behind an anchor.
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

/** Undefined where the order of the chunks is not that of the file. */
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
