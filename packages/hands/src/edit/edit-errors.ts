import { SynapseError } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import type { Unclear } from './changed-part.ts';
import type { Lines } from './lines.ts';
import type { Matches } from './match-text.ts';
import { nearestRegion, type Difference, type NearestRegion } from './nearest-region.ts';
import { TIER_MEANING, type Tier } from './tiers.ts';
import { aroundColumn, visibleCharacter, visibleLine } from './visible.ts';

/** A file that a text was looked for in. */
export interface SearchedFile {
  readonly path: string;
  readonly text: string;
  readonly lines: Lines;
  readonly version: string;
}

/** Lines of the file that an error shows. */
const MAX_EXCERPT_LINES = 12;

/** Lines of a file with their numbers, from 1. */
export function excerpt(lines: Lines, start: number, end: number, column = 0): string {
  const last = Math.min(end, start + MAX_EXCERPT_LINES);
  const width = String(last).length;
  const shown = Array.from({ length: Math.max(0, last - start) }, (_, index) => {
    const number = start + index;
    return `${String(number + 1).padStart(width)} | ${aroundColumn(lines.text(number), column)}`;
  });
  return `${shown.join('\n')}${end > last ? `\n… ${count(end - last, 'more line')}` : ''}`;
}

function lineRange(start: number, end: number): string {
  return end - start <= 1 ? `line ${start + 1}` : `lines ${start + 1}–${end}`;
}

function differenceText(difference: Difference, given: string): string {
  const { line, column, fileLine, givenLine, givenColumn } = difference;
  const at = (text: string, place: number): string => visibleCharacter(String.fromCodePoint(text.codePointAt(place) ?? 0).replace('\0', ''));
  return [
    `First difference: line ${line + 1}, column ${column + 1}: the file has ${at(fileLine, column)}, ${given} has ${at(givenLine, givenColumn)}.`,
    `  file:  ${visibleLine(aroundColumn(fileLine, column))}`,
    `  given: ${visibleLine(aroundColumn(givenLine, givenColumn))}`,
  ].join('\n');
}

/** The nearest region in words, to be appended to a message; empty where nothing is near. */
function nearestText(file: SearchedFile, region: NearestRegion | undefined, given: string): string {
  if (region === undefined) return `Nothing in ${file.path} is like it (${count(file.lines.count, 'line')}).`;
  const { start, end, similarity, difference } = region;
  return [
    `The nearest text is ${lineRange(start, end)} (${Math.round(similarity * 100)} % alike):`,
    excerpt(file.lines, start, end, difference?.line === start ? difference.column : 0),
    ...(difference === undefined ? [] : [differenceText(difference, given)]),
  ].join('\n');
}

/** The facts of a miss, for programs. */
function missDetails(file: SearchedFile, region: NearestRegion | undefined): Record<string, unknown> {
  return {
    path: file.path,
    version: file.version,
    ...(region === undefined
      ? {}
      : {
          nearest: { start_line: region.start + 1, end_line: region.end, similarity: Math.round(region.similarity * 100) / 100 },
          ...(region.difference === undefined ? {} : { difference: { line: region.difference.line + 1, column: region.difference.column + 1 } }),
        }),
  };
}

const UNCLEAR: Record<Unclear, readonly [found: string, missing: string]> = {
  indentation: ['with other indentation', 'how %s is to be indented there'],
  typography: ['with other quotes or dashes', 'which of them %s is to have there'],
};

/** A place where a text was found, and what errors call the two texts. */
export interface UnclearPlace {
  readonly old: string;
  readonly new: string;
  readonly start: number;
  readonly end: number;
}

/** A text was found, but not exactly, and what to write follows from that in more than one way. */
export function unclearMatch(file: SearchedFile, place: UnclearPlace, tier: Tier, unclear: Unclear): SynapseError {
  const { start, end } = place;
  const [first, last] = [file.lines.at(start), file.lines.at(Math.max(start, end - 1))];
  const [found, missing] = UNCLEAR[unclear];
  const problem = `and ${missing.replace('%s', () => place.new)} is not clear`;
  return new SynapseError(
    'no_match',
    `${place.old} stands in ${file.path} ${found} (${lineRange(first, last + 1)}), ${problem}; nothing was changed.`,
    {
      hint: `Repeat the call with old and new text written as the file is:\n${excerpt(file.lines, first, last + 1)}`,
      details: { path: file.path, version: file.version, tier, line: first + 1 },
    },
  );
}

/**
 * A text was not found. `what` names it in the input, such as `edits[0].old_text`.
 * @param newAt the line, from 0, where the new text stands already
 */
export function noMatch(file: SearchedFile, what: string, wanted: string, details: Record<string, unknown> = {}, newAt?: number): SynapseError {
  const region = nearestRegion(file.text, file.lines, wanted);
  const already = newAt === undefined ? '' : `new_text is already there (line ${newAt + 1}): this edit may have been made before.\n`;
  return new SynapseError('no_match', `${what} was not found in ${file.path}; nothing was changed.`, {
    hint: `${already}${nearestText(file, region, what)}\nRepeat the call with the text exactly as the file has it. The file's version is ${file.version}.`,
    details: { ...missDetails(file, region), ...details },
  });
}

/** A text was found more than once where one place was wanted. `lines` are those of the first places, from 0. */
export function ambiguousMatch(
  file: SearchedFile,
  what: string,
  found: { tier: Tier; count: number; lines: readonly number[] },
  advice: string,
  details: Record<string, unknown> = {},
): SynapseError {
  const { tier, lines } = found;
  const shown = lines.map((line) => `${line + 1} | ${aroundColumn(file.lines.text(line), 0)}`);
  const more = found.count - lines.length;
  return new SynapseError('ambiguous_match', `${what} occurs ${found.count} times in ${file.path}; nothing was changed.`, {
    hint: `It matches (${TIER_MEANING[tier]}) on these lines:\n${shown.join('\n')}${more > 0 ? `\n… and ${more} more` : ''}\n${advice}`,
    details: { path: file.path, version: file.version, tier, count: found.count, lines: lines.map((line) => line + 1), ...details },
  });
}

/** The file is not what the call was made for, and the change cannot be told to fit what it is now. */
export function staleFile(file: SearchedFile, what: string, expected: string, wanted: string, matches: Matches | undefined): SynapseError {
  const first = matches?.matches[0];
  const region = first === undefined ? nearestRegion(file.text, file.lines, wanted) : undefined;
  const fresh =
    first === undefined
      ? nearestText(file, region, what)
      : `The text there now:\n${excerpt(file.lines, file.lines.at(first.start), file.lines.at(Math.max(first.start, first.end - 1)) + 1)}`;
  const problem =
    matches === undefined ? 'is no longer there' : matches.count > 1 ? `now occurs ${matches.count} times` : 'is no longer exactly the same';
  return new SynapseError('conflict', `${file.path} has changed since version ${expected}, and ${what} ${problem}; nothing was changed.`, {
    hint: `${fresh}\nRepeat the call for version ${file.version}.`,
    details: {
      ...missDetails(file, region),
      expected_version: expected,
      ...(matches === undefined ? {} : { count: matches.count, tier: matches.tier }),
    },
  });
}
