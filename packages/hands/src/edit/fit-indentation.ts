import { depthOf } from './indent-unit.ts';
import type { Reindent } from './reindent.ts';
import { keepStars } from './star-lines.ts';
import { indentOf } from './tiers.ts';

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
}

/** How new lines are indented: as the old ones were given, or as the file is. */
type Frame = 'given' | 'file';

const isBlank = (line: string): boolean => line.trim() === '';

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

const OPENS = /(?:[{([:]|=>|->)$/u;

/** Whether a new line can follow one line, and precede another one, by its indentation. */
function canStand(line: string, before: string | undefined, after: string | undefined): boolean {
  const indent = indentOf(line);
  if (before !== undefined && OPENS.test(before.trimEnd())) return indent.length > indentOf(before).length;
  // Further out than the line before it, a line ends blocks; no further out than the line after it.
  if (before !== undefined && indent.length < indentOf(before).length && (after === undefined || indent.length > indentOf(after).length)) return true;
  return [before, after].some((other) => other !== undefined && indentOf(other) === indent);
}

function frameByNeighbors(line: string, { before, after }: Replaced): Frame | undefined {
  const [given, file] = [canStand(line, before?.given, after?.given), canStand(line, before?.found, after?.found)];
  if (given === file) return undefined;
  // A line that ends a block is further out than the one before it. Only a line behind it tells that it does not.
  return given ? 'given' : before === undefined || after === undefined ? undefined : 'file';
}

function frames(part: Replaced): Frame[] {
  const seen: Array<Frame | undefined> = [];
  let isMoved = false;
  for (const [old, fresh] of pairs(part)) {
    const [line, given, found] = [part.fresh[fresh] ?? '', part.given[old] ?? '', part.found[old] ?? ''];
    seen.push(frameBy(line, given, found));
    isMoved ||= !isBlank(line) && indentOf(line) !== indentOf(given) && indentOf(line) !== indentOf(found);
  }
  const lines = part.fresh.filter((line) => !isBlank(line));
  const [firstOld, lastOld] = [part.given.findIndex((line) => !isBlank(line)), part.given.findLastIndex((line) => !isBlank(line))];
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  seen.push(frameBy(first, part.given[firstOld] ?? '', part.found[firstOld] ?? ''));
  const isOpen = (): boolean => !seen.some((one) => one !== undefined);
  // The last line may end a block, so it may be further out than the one that it replaces, and stand in the file's place by chance.
  if (isOpen() && frameBy(last, part.given[lastOld] ?? '', part.found[lastOld] ?? '') === 'given') seen.push('given');
  if (isOpen()) seen.push(frameByNeighbors(first, part));
  const known = seen.filter((one) => one !== undefined);
  // Lines that move in the edit may come to stand by chance where the file has them.
  return isMoved && !known.includes('given') ? [] : known;
}

/** Whether lines lost levels of their indentation: behind a line that begins a block, another one is no further in. */
function isFlat(lines: readonly string[]): boolean {
  const texts = lines.filter((line) => !isBlank(line));
  return texts.some((line, index) => {
    const next = texts[index + 1];
    return (
      next !== undefined &&
      OPENS.test(line.trimEnd()) &&
      !/^\s*(?:[)\]}\-#*]|\/[/*]|case\b|default\b)/u.test(next) &&
      indentOf(next).length <= indentOf(line).length
    );
  });
}

/** Whether a new line is one of the old ones exactly as given, where the file has it with another indentation. */
function keepsGiven({ given, found, fresh }: Replaced): boolean {
  const moved = new Set(given.filter((line, index) => !isBlank(line) && indentOf(line) !== indentOf(found[index] ?? '')));
  return fresh.some((line) => moved.has(line));
}

/**
 * Whether shifted lines stand at levels of the file. More lines between two levels than before mean that not all lines were
 * meant to be shifted; and one indentation alone does not tell how far others are.
 */
function fitsUnit(
  reindent: Reindent,
  parts: readonly Replaced[],
  literal: readonly string[][],
  shifted: ReadonlyArray<readonly string[] | undefined>,
): boolean {
  const width = reindent.unit();
  const known = new Set(parts.flatMap(({ found }) => found));
  // Without a unit, only lines of the file tell where others can stand.
  if (width === undefined) {
    const own = new Set(parts.flatMap(({ given }) => given.filter((line) => !isBlank(line)).map((line) => indentOf(line))));
    if (reindent.levels === 1 && literal.flat().some((line) => !isBlank(line) && !own.has(indentOf(line)))) return false;
    return shifted.every((lines) => lines?.every((line) => isBlank(line) || known.has(line) || reindent.hasIndentOf(line)) === true);
  }
  const between = (lines: readonly string[]): number =>
    lines.filter((line) => !isBlank(line) && line.trimStart()[0] !== '*' && !known.has(line) && depthOf(indentOf(line), width)?.rest !== 0).length;
  const [before, after] = [between(literal.flat()), between(shifted.flatMap((lines) => lines ?? []))];
  return after <= before && (reindent.levels > 1 || after === 0);
}

/**
 * Gives new lines the indentation of the file, for old lines that matched with another one. New lines that fit the file
 * as they stand are not changed: a model may shift the old text only. The one place that decides this, for edits and patches.
 * @returns the new text of each part; undefined if it is not clear how it is meant
 */
export function fitIndentation(reindent: Reindent, parts: readonly Replaced[]): string[][] | undefined {
  const literal = parts.map(({ fresh }) => [...fresh]);
  const shifted = literal.map((fresh) => reindent.apply(fresh.join('\n'))?.split('\n'));
  if (literal.every((fresh, index) => fresh.every(isBlank) || fresh.join('\n') === shifted[index]?.join('\n'))) return literal;
  const [frame, ...others] = new Set(parts.flatMap(frames));
  if (frame === undefined || others.length > 0) return undefined;
  if (frame === 'file') return parts.some(keepsGiven) ? undefined : literal;
  if (literal.some(isFlat) || !fitsUnit(reindent, parts, literal, shifted)) return undefined;
  const texts = shifted.flatMap((lines, index) => (lines === undefined ? [] : [keepStars(lines, parts[index]?.found ?? [])]));
  return texts.length === parts.length ? texts : undefined;
}
