import { ambiguousMatch, type SearchedFile } from '../edit/edit-errors.ts';
import { SHOWN_MATCHES } from '../edit/match-text.ts';
import type { Reindent } from '../edit/reindent.ts';
import type { Tier } from '../edit/tiers.ts';
import type { LineFinder } from './find-lines.ts';
import type { Chunk } from './patch.ts';

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

/** What is known when the place of a chunk is searched. */
export interface Search {
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

/** The error for a chunk that fits several places. */
export function ambiguous({ file, name, chunk }: Search, tier: Tier, found: readonly number[], advice = ADVICE): Error {
  const places = { tier, count: found.length, lines: found.slice(0, SHOWN_MATCHES) };
  return ambiguousMatch(file, name, places, advice, { patch_line: chunk.patchLine });
}
