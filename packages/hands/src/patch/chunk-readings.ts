import type { Reindent } from '../edit/reindent.ts';
import { type Chunk, oldLines } from './patch.ts';

/** An interpretation of a chunk: the lines that the file must have. */
export interface Reading {
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
  return {
    raw: false,
    wanted,
    unspaced: { found: wanted.join('\n'), levels: 1, isMark: true, unit: () => undefined, hasIndentOf: () => true, marksBlocks: () => true, apply },
  };
}

/** Returns the interpretations of a chunk. If any context line has no mark, none has. If all have a space, it may be part of the text. */
export function readings(chunk: Chunk): readonly Reading[] {
  const asItStands = { raw: true, wanted: oldLines(chunk, true) };
  if (chunk.lines.some(({ unmarked }) => unmarked === true)) return [asItStands];
  const spaced = unspaced(chunk);
  return [{ raw: false, wanted: oldLines(chunk, false) }, asItStands, ...(spaced === undefined ? [] : [spaced])];
}

/** Whether all lines are blank, so that they do not identify a place. */
export function isBlank(wanted: readonly string[]): boolean {
  return wanted.every((line) => line.trim() === '');
}
