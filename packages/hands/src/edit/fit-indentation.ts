import { opensBlock } from './block-marks.ts';
import { evidenceOf, type Replaced } from './indent-evidence.ts';
import { depthOf } from './indent-unit.ts';
import { canMoveToo, isOneLine, isScaledUnproven, knownIndents, standsInFile } from './indent-readings.ts';
import type { Reindent } from './reindent.ts';
import { keepStars } from './star-lines.ts';
import { indentOf } from './tiers.ts';
import { isBlank } from './lines.ts';

/** Whether lines lost levels of their indentation: behind a line that begins a block, another one is no further in. */
function isFlat(lines: readonly string[]): boolean {
  const texts = lines.filter((line) => !isBlank(line));
  return texts.some((line, index) => {
    const next = texts[index + 1];
    return (
      next !== undefined &&
      opensBlock(line) &&
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
  const evidence = parts.map((part) => evidenceOf(part, () => reindent.marksBlocks()));
  const [frame, ...others] = new Set(evidence.flatMap(({ frames }) => frames));
  if (frame === undefined || others.length > 0) return undefined;
  const isFirm = evidence.some((one) => one.isFirm);
  if (frame === 'file') {
    const isOpen = !isFirm && parts.some((part, index) => canMoveToo(part, shifted[index], reindent));
    return isOpen || parts.some(keepsGiven) || (!isFirm && !literal.flat().every((line) => standsInFile(line, reindent))) ? undefined : literal;
  }
  const known = knownIndents(parts);
  const isUnproven = (part: Replaced, index: number): boolean => {
    const lines = shifted[index];
    return lines !== undefined && (isScaledUnproven(part, known, lines, reindent) || isOneLine(part, known, lines, reindent));
  };
  if (parts.some(isUnproven)) return undefined;
  if (literal.some(isFlat) || !fitsUnit(reindent, parts, literal, shifted)) return undefined;
  const moved = shifted.flatMap((lines, index) => (lines === undefined ? [] : [keepStars(lines, parts[index]?.found ?? [])]));
  return moved.length === parts.length ? moved : undefined;
}
