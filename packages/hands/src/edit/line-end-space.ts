import { isBlank } from './lines.ts';

/** Takes white space from the ends of new lines that the file does not have there. */
export interface LineEndStrip {
  /**
   * Returns the line as it is to be written; undefined if that is not clear.
   * @param isLast whether it is the last line that is not blank, or is behind it
   */
  apply(line: string, isLast: boolean): string | undefined;
  /** Whether new lines have no such white space, so that theirs is meant. */
  readonly keepsNew: boolean;
}

/** Returns the white space that a given line has at its end and the line of the file has not. */
export function addedEnd(given: string, file: string): string {
  const [own, other] = [given.slice(given.trimEnd().length), file.slice(file.trimEnd().length)];
  if (own.startsWith(other)) return own.slice(other.length);
  return own.endsWith(other) ? own.slice(0, own.length - other.length) : own;
}

const without = (line: string, end: string): string => (line.endsWith(end) ? line.slice(0, line.length - end.length) : line);
const hasEnd = (line: string): boolean => line.trimEnd() !== line;

const KEEP: LineEndStrip = { apply: (line) => line, keepsNew: true };

/** The white space that all of some ends are; undefined if they are different. */
function onlyOf(ends: readonly string[]): string | undefined {
  const [only, ...others] = new Set(ends);
  return others.length === 0 ? only : undefined;
}

/** Whether spaces are around the old text alone: those of the new one are its own. */
function isSpaced(given: string, file: string, newText: string): boolean {
  return given.startsWith(' ') && !file.startsWith(' ') && !newText.startsWith(' ');
}

/** Takes the white space that given lines without text have, and those of the file have not. @param empty undefined if it is of several kinds */
function stripOfEmpty(empty: string | undefined): LineEndStrip {
  const isClear = (line: string): boolean => !hasEnd(line) || (isBlank(line) ? line === empty : empty !== undefined && !line.endsWith(empty));
  return { apply: (line) => (isClear(line) ? (isBlank(line) ? '' : line) : undefined), keepsNew: false };
}

/** The end of a given line. */
interface GivenEnd {
  readonly isEmpty: boolean;
  /** The white space that the file has not. */
  readonly end: string;
}

/** Takes the white space that given lines with text have, and those of the file have not. */
function stripOfText(ends: readonly GivenEnd[], given: string, file: string, newText: string): LineEndStrip {
  const text = newText.split('\n').filter((line) => !isBlank(line));
  if (!text.some(hasEnd)) return KEEP;
  const ofText = ends.filter(({ isEmpty, end }) => !isEmpty && end !== '').map(({ end }) => end);
  const only = onlyOf(ofText);
  if (only === ' ' && isSpaced(given, file, newText)) return { ...KEEP, keepsNew: false };
  const givenLines = new Set(given.split('\n'));
  const own = text.filter((line) => !givenLines.has(line));
  const fileHasEnd = file.split('\n').some((line) => !isBlank(line) && hasEnd(line));
  if (only !== undefined && !fileHasEnd && own.every((line) => line.endsWith(only))) return { apply: (line) => without(line, only), keepsNew: false };
  // Spaces behind the whole text are at the end of its last line alone.
  const last = ends.findLast(({ isEmpty }) => !isEmpty)?.end ?? '';
  if (last !== '' && ofText.length === 1 && text.at(-1)?.endsWith(last) === true)
    return { apply: (line, isLast) => (isLast ? without(line, last) : line), keepsNew: false };
  return { apply: (line) => (hasEnd(line) ? undefined : line), keepsNew: false };
}

/**
 * Returns what takes from new lines the white space that given lines have at their ends, and the file has not; undefined if there is
 * none. New lines have it only if all of them show it: then they lose that, and keep what they have besides. If none has it, it
 * is in the old text alone. If some have it, what they mean is not clear.
 */
export function lineEndStrip(given: string, file: string, newText: string): LineEndStrip | undefined {
  const fileLines = file.split('\n');
  const ends = given.split('\n').map((line, index): GivenEnd => ({ isEmpty: isBlank(line), end: addedEnd(line, fileLines[index] ?? '') }));
  if (ends.every(({ end }) => end === '')) return undefined;
  const isOfText = ends.some(({ isEmpty, end }) => !isEmpty && end !== '') && !newText.split('\n').every(isBlank);
  if (isOfText) return stripOfText(ends, given, file, newText);
  return stripOfEmpty(onlyOf(ends.filter(({ isEmpty }) => isEmpty).map(({ end }) => end)));
}
