import { mayOpenBlock, opensBlock } from './block-marks.ts';
import { indentOf } from './tiers.ts';
import { isBlank } from './lines.ts';

/** An unchanged line beside new lines: as it was given, and as the file has it. */
export interface Neighbor {
  readonly given: string;
  readonly found: string;
}

/** Old lines that new lines replace. */
export interface Replaced {
  readonly given: readonly string[];
  /** The same lines in the file. */
  readonly found: readonly string[];
  readonly fresh: readonly string[];
  readonly before?: Neighbor;
  readonly after?: Neighbor;
  /** Whether a line that is in both lists is there because it moves: so in a patch, which has unchanged lines apart. */
  readonly isMinimal?: boolean;
}

/** How new lines are indented: as the old ones were given, or as the file is. */
export type Frame = 'given' | 'file';

/** Pairs old lines with equal new ones, apart from indentation. Takes linear time: equal ends, and lines that occur once. */
function* pairs({ given, fresh }: Replaced): Generator<readonly [old: number, fresh: number]> {
  const [own, other] = [given.map((line) => line.trim()), fresh.map((line) => line.trim())];
  const shorter = Math.min(own.length, other.length);
  let head = 0;
  while (head < shorter && own[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && own[own.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  for (let index = 0; index < head; index += 1) yield [index, index];
  for (let index = 1; index <= tail; index += 1) yield [own.length - index, other.length - index];
  const places = (lines: readonly string[]): Map<string, number> => {
    const once = new Map<string, number>();
    for (let index = head; index < lines.length - tail; index += 1) once.set(lines[index] ?? '', once.has(lines[index] ?? '') ? -1 : index);
    return once;
  };
  const [ours, theirs] = [places(own), places(other)];
  for (const [line, index] of ours) {
    const match = theirs.get(line) ?? -1;
    if (index !== -1 && match !== -1) yield [index, match];
  }
}

/** The frame in which a new line has the indentation of an old one; undefined if in both, or in neither. */
function frameBy(fresh: string, given: string, found: string): Frame | undefined {
  const [own, other, indent] = [indentOf(given), indentOf(found), indentOf(fresh)];
  if (own === other || isBlank(given) || isBlank(fresh)) return undefined;
  return indent === own ? 'given' : indent === other ? 'file' : undefined;
}

/** The frame in which a new line has the indentation of the old one at an index. */
function frameAt({ given, found }: Replaced, old: number, fresh: string): Frame | undefined {
  return frameBy(fresh, given[old] ?? '', found[old] ?? '');
}

/** Whether a new line has another indentation than the old one at an index, as given and as in the file. */
function movesFrom({ given, found }: Replaced, old: number, fresh: string): boolean {
  const indent = indentOf(fresh);
  return !isBlank(fresh) && indent !== indentOf(given[old] ?? '') && indent !== indentOf(found[old] ?? '');
}

/** The mark of an item of a list. What belongs to the item is in the column behind it. */
const ITEM = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+/u;

/** Whether a new line can follow one line, and precede another one, by its indentation. */
function canStand(line: string, before: string | undefined, after: string | undefined): boolean {
  const indent = indentOf(line);
  if (before !== undefined && ITEM.exec(before)?.[0].length === indent.length) return true;
  if (before !== undefined && opensBlock(before)) return indent.length > indentOf(before).length;
  if (before !== undefined && indent.length > indentOf(before).length && mayOpenBlock(before)) return true;
  // Further out than the line before it, a line ends blocks; no further out than the line after it.
  if (before !== undefined && indent.length < indentOf(before).length && (after === undefined || indent.length > indentOf(after).length)) return true;
  return [before, after].some((other) => other !== undefined && indentOf(other) === indent);
}

function frameByNeighbors(line: string, { before, after }: Replaced, marksBlocks: () => boolean): Frame | undefined {
  const [given, file] = [canStand(line, before?.given, after?.given), canStand(line, before?.found, after?.found)];
  // Where lines stand further in without a mark before them, it tells nothing that a line could not stand somewhere.
  if (given === file || !marksBlocks()) return undefined;
  // A line that ends a block is further out than the one before it. Only a line behind it tells that it does not.
  return given ? 'given' : before === undefined || after === undefined ? undefined : 'file';
}

/** What old and new lines tell about the indentation of the new ones. */
export interface Evidence {
  /** All different ones are a contradiction. */
  readonly frames: readonly Frame[];
  /** Whether lines that are in both tell it, not only the place of others. */
  readonly isFirm: boolean;
}

/**
 * Whether a patch would remove and add the same line if its new lines were indented as the file is: then it is to move, and stands
 * where the file has it by chance.
 */
function keepsFound(part: Replaced): boolean {
  const stays = ([old, fresh]: readonly [number, number]): boolean => frameAt(part, old, part.fresh[fresh] ?? '') === 'file';
  return part.isMinimal === true && [...pairs(part)].some(stays);
}

/** Finds out how the new lines of a part are indented. */
export function evidenceOf(part: Replaced, marksBlocks: () => boolean): Evidence {
  if (keepsFound(part)) return { frames: ['given', 'file'], isFirm: false };
  const seen: Array<Frame | undefined> = [];
  let isMoved = false;
  for (const [old, fresh] of pairs(part)) {
    const line = part.fresh[fresh] ?? '';
    seen.push(frameAt(part, old, line));
    isMoved ||= movesFrom(part, old, line);
  }
  const isFirm = seen.some((one) => one !== undefined);
  const lines = part.fresh.filter((line) => !isBlank(line));
  const [firstOld, lastOld] = [part.given.findIndex((line) => !isBlank(line)), part.given.findLastIndex((line) => !isBlank(line))];
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  seen.push(frameAt(part, firstOld, first));
  const isOpen = (): boolean => !seen.some((one) => one !== undefined);
  // The last line may end a block, so it may be further out than the one that it replaces, and be in the file's place by chance.
  if (isOpen() && frameAt(part, lastOld, last) === 'given') seen.push('given');
  if (isOpen()) seen.push(frameByNeighbors(first, part, marksBlocks));
  const known = seen.filter((one) => one !== undefined);
  // Lines that move in the edit may come to stand by chance where the file has them.
  return { frames: isMoved && !known.includes('given') ? [] : known, isFirm };
}
