import { mayOpenBlock, opensBlock } from './block-marks.ts';
import type { Replaced } from './indent-evidence.ts';
import { depthOf } from './indent-unit.ts';
import type { Reindent } from './reindent.ts';
import { indentOf } from './tiers.ts';
import { isText } from './lines.ts';

/** Characters of one level of a file; of a small one if it has no unit. */
function levelOf(reindent: Reindent): number {
  const unit = reindent.unit();
  return unit === 'tab' ? 1 : (unit ?? 2);
}

/** Whether a line stands at a level of the file, or where other lines do. */
export function standsInFile(line: string, reindent: Reindent): boolean {
  const unit = reindent.unit();
  return !isText(line) || reindent.hasIndentOf(line) || (unit !== undefined && depthOf(indentOf(line), unit)?.rest === 0);
}

/** The indentation of the file for each given one that old lines show. */
export type KnownIndents = ReadonlyMap<string, string>;

/** Collects the indentations that the old lines of all parts show. */
export function knownIndents(parts: readonly Replaced[]): KnownIndents {
  const known = new Map<string, string>();
  for (const { given, found, before, after } of parts) {
    for (const [index, line] of given.entries()) if (isText(line)) known.set(indentOf(line), indentOf(found[index] ?? ''));
    for (const one of [before, after]) if (one !== undefined) known.set(indentOf(one.given), indentOf(one.found));
  }
  return known;
}

/** Whether a new line stands further in than the one before it, which begins no block: in a column that tabs do not tell. */
function isContinued(before: string | undefined, fresh: readonly string[], known: KnownIndents): boolean {
  const lines = [...(before === undefined ? [] : [before]), ...fresh.filter(isText)];
  return lines.some((line, at) => {
    const last = lines[at - 1];
    return last !== undefined && !known.has(indentOf(line)) && indentOf(line).length > indentOf(last).length && !mayOpenBlock(last);
  });
}

/** Levels between a line and the next one from which on it is aligned with something in that line. */
const ALIGNED = 3;

/** Whether all lines move by the same characters. */
function isMoved(literal: readonly string[], shifted: readonly string[]): boolean {
  const moves = literal.flatMap((line, index) => {
    const [own, other] = [indentOf(line), indentOf(shifted[index] ?? '')];
    if (!isText(line)) return [];
    if (other.endsWith(own)) return [`+${other.slice(0, other.length - own.length)}`];
    return own.endsWith(other) ? [`-${own.slice(0, own.length - other.length)}`] : ['?'];
  });
  return new Set(moves).size < 2 && !moves.includes('?');
}

/**
 * Whether new lines would get another unit of indentation that old ones do not prove. Columns that lines are aligned to do not follow
 * from levels, so only those that old lines show are known.
 */
export function isScaledUnproven({ fresh: literal, before }: Replaced, known: KnownIndents, shifted: readonly string[], reindent: Reindent): boolean {
  if (isMoved(literal, shifted)) return false;
  const isNew = literal.some((line) => isText(line) && !known.has(indentOf(line)));
  // From spaces to spaces, one level can also be a move of some lines alone.
  const levels = [...known.keys()].filter((indent) => indent !== '');
  if (isNew && levels.length < 2 && ![...known].flat().some((indent) => indent.includes('\t'))) return true;
  const losesColumns = [...known].some(([given, found]) => given.includes('\t') && !found.includes('\t'));
  if (losesColumns && reindent.marksBlocks() && isContinued(before?.given, literal, known)) return true;
  const lines = [...(before === undefined ? [] : [before.found]), ...shifted.filter(isText)];
  const level = levelOf(reindent);
  const jumps = lines.some((line, at) => indentOf(line).length - indentOf(lines[at - 1] ?? line).length >= ALIGNED * level);
  return jumps && isNew;
}

/** Whether a line can follow another one in a file. */
function follows(before: string, line: string, reindent: Reindent): boolean {
  const [own, other] = [indentOf(before), indentOf(line)];
  if (!own.startsWith(other) && !other.startsWith(own)) return false;
  if (other.length <= own.length) return !opensBlock(before);
  return other.length - own.length <= levelOf(reindent) && (mayOpenBlock(before) || !reindent.marksBlocks());
}

/**
 * Whether the new lines of a part can also be meant as given, apart from those whose indentation old lines show: where these show one
 * alone, only that one may be off.
 */
export function isOneLine(part: Replaced, known: KnownIndents, shifted: readonly string[], reindent: Reindent): boolean {
  if (reindent.levels !== 1) return false;
  // Lines further out may have no indentation whatever that of the known one is, such as those of a text within code.
  const isOut = (line: string): boolean => [...known].every(([given, found]) => indentOf(line).length < given.length && given.length < found.length);
  if (known.size > 0 && part.fresh.some((line) => isText(line) && isOut(line) && !/^\s*(?:[)\]}]|end\b)/u.test(line))) return true;
  const own = part.fresh.map((line) => {
    const indent = indentOf(line);
    return isText(line) ? (known.get(indent) ?? indent) + line.slice(indent.length) : line;
  });
  if (own.every((line, at) => line === shifted[at])) return false;
  // A line that would stand further out than the one before it, and was given further in, or the other way round.
  const depths = own.flatMap((line, at) => (isText(line) ? [[indentOf(line).length, indentOf(part.fresh[at] ?? '').length] as const] : []));
  if (depths.some(([now, was], at) => at > 0 && (now - (depths[at - 1]?.[0] ?? 0)) * (was - (depths[at - 1]?.[1] ?? 0)) < 0)) return false;
  const stand = (fresh: readonly string[]): boolean => {
    const lines = [part.before?.found, ...fresh.filter(isText), part.after?.found].filter((line) => line !== undefined);
    return lines.every((line, at) => at === 0 || follows(lines[at - 1] ?? '', line, reindent));
  };
  return stand(own) || !stand(shifted);
}

/**
 * Whether the new lines of a patch could also be meant to move with the old ones: then it is no evidence that the first one stands
 * where the file has a removed one.
 */
export function canMoveToo({ before, after, isMinimal }: Replaced, shifted: readonly string[] | undefined, reindent: Reindent): boolean {
  if (isMinimal !== true || shifted === undefined || reindent.isMark === true) return false;
  const lines = shifted.filter(isText);
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined || !lines.every((line) => standsInFile(line, reindent))) return false;
  return (before === undefined || follows(before.found, first, reindent)) && (after === undefined || follows(last, after.found, reindent));
}
