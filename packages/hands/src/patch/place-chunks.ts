import { ambiguousMatch, noMatch, type SearchedFile } from '../edit/edit-errors.ts';
import { SHOWN_MATCHES } from '../edit/match-text.ts';
import type { Shift } from '../edit/shift.ts';
import { TIERS, type Tier } from '../edit/tiers.ts';
import { createLineFinder, type LineFinder } from './find-lines.ts';
import type { Chunk } from './patch.ts';
import { patchError, quoted } from './patch-error.ts';

/** Where a chunk applies. */
export interface PlacedChunk {
  readonly chunk: Chunk;
  /** First line of the file that it is about, from 0. */
  readonly line: number;
  readonly tier: Tier;
  readonly shift: Shift | undefined;
}

interface Search {
  readonly file: SearchedFile;
  readonly finder: LineFinder;
  readonly chunk: Chunk;
  /** How errors call the chunk. */
  readonly name: string;
  /** First line behind the chunk before. */
  readonly cursor: number;
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

/** Where a chunk goes that keeps and removes nothing. */
function placeAddition(search: Search): number {
  const { file, chunk, cursor, name } = search;
  const [anchor] = chunk.anchors;
  if (anchor !== undefined) {
    const ahead = anchorLines(search, cursor);
    const lines = ahead.length > 0 ? ahead : anchorLines(search, 0);
    const [line] = lines;
    if (line === undefined) throw noMatch(file, `The @@ line of ${name}`, chunk.anchors.at(-1) ?? anchor, { patch_line: chunk.patchLine });
    if (lines.length > 1) throw ambiguous(search, 'exact', lines);
    if (line + 1 < cursor) throw outOfOrder(search, line);
    return line + 1;
  }
  // Nothing says where: the end of the file, as the authors of the form have it.
  if (chunk.start === undefined || chunk.atEnd) return file.lines.count;
  if (chunk.start > file.lines.count || chunk.start < cursor) {
    throw patchError(chunk.patchLine, `adds lines behind line ${chunk.start} of ${file.path}, which has ${file.lines.count} lines`, ADVICE);
  }
  return chunk.start;
}

function outOfOrder({ file, chunk, name }: Search, line: number): Error {
  return patchError(
    chunk.patchLine,
    `begins ${name.toLowerCase()}, which belongs to line ${line + 1} of ${file.path}, before the end of the hunk before it`,
    'Put the hunks in the order of the file, and join those that overlap.',
  );
}

function choose(search: Search, tier: Tier, found: readonly number[], length: number): number {
  const { chunk, file } = search;
  const [only] = found;
  const stated = chunk.start === undefined ? undefined : chunk.start - 1;
  if (stated !== undefined && found.includes(stated)) return stated;
  const last = file.lines.count - length;
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

function place(search: Search): PlacedChunk {
  const { file, finder, chunk, name, cursor } = search;
  const wanted = chunk.lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
  if (wanted.length === 0) return { chunk, line: placeAddition(search), tier: 'exact', shift: undefined };
  // Most hunks are where they say; then nothing has to be searched.
  if (chunk.start !== undefined && chunk.start > cursor && finder.isAt(wanted, chunk.start - 1)) {
    return { chunk, line: chunk.start - 1, tier: 'exact', shift: undefined };
  }
  for (const tier of TIERS) {
    const found = finder.find(wanted, tier, cursor);
    if (found.length === 0) continue;
    const line = choose(search, tier, found, wanted.length);
    return { chunk, line, tier, shift: tier === 'indentation' ? finder.shiftAt(wanted, line) : undefined };
  }
  const [before] = cursor > 0 ? finder.find(wanted, 'exact', 0) : [];
  if (before !== undefined) throw outOfOrder(search, before);
  throw noMatch(file, name, wanted.join('\n'), { patch_line: chunk.patchLine });
}

/**
 * Finds the place of every chunk, in order, none before the end of the one before. A stated line is taken
 * where the lines are there; else they must be found only once, or behind an anchor.
 * @throws SynapseError `no_match`, `ambiguous_match`, `invalid_arguments` or `too_large`
 */
export function placeChunks(file: SearchedFile, chunks: readonly Chunk[]): PlacedChunk[] {
  const finder = createLineFinder(file.lines);
  let cursor = 0;
  return chunks.map((chunk, index) => {
    const name = `Hunk ${index + 1} (line ${chunk.patchLine} of the patch)`;
    const placed = place({ file, finder, chunk, name, cursor });
    cursor = placed.line + chunk.lines.filter(({ kind }) => kind !== 'add').length;
    return placed;
  });
}
