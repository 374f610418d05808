import { SynapseError } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import type { Unclear } from './changed-part.ts';
import { aroundColumn, type Lines } from './lines.ts';
import type { Elsewhere, Matches } from './match-text.ts';
import { nearestRegion, type Difference, type NearestRegion } from './nearest-region.ts';
import { TIER_MEANING, type Tier } from './tiers.ts';
import { visibleCharacter, visibleLine } from './visible.ts';

/** A file that was searched for a text. */
export interface SearchedFile {
  readonly path: string;
  readonly text: string;
  readonly lines: Lines;
  readonly version: string;
}

/** Maximum number of lines that an error quotes from the file. */
const MAX_EXCERPT_LINES = 12;

/** Formats lines of a file with their numbers, from 1. */
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

/** Describes the nearest region for an error message. */
function nearestText(file: SearchedFile, region: NearestRegion | undefined, given: string): string {
  if (region === undefined) return `Nothing in ${file.path} is like it (${count(file.lines.count, 'line')}).`;
  const { start, end, similarity, difference } = region;
  return [
    `The nearest text is ${lineRange(start, end)} (${Math.round(similarity * 100)} % alike):`,
    excerpt(file.lines, start, end, difference?.line === start ? difference.column : 0),
    ...(difference === undefined ? [] : [differenceText(difference, given)]),
  ].join('\n');
}

/** Returns the details of a failed match for programs. */
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
  indentation: ['with other indentation', 'the indentation of %s there'],
  typography: ['with other quotes, dashes or white space', 'which of them belong in %s'],
};

/** A match, and the names that errors use for the two texts. */
export interface UnclearPlace {
  readonly old: string;
  readonly new: string;
  readonly start: number;
  readonly end: number;
  readonly elsewhere?: Elsewhere | undefined;
}

/** Describes the line elsewhere that an edit may be meant for. */
function elsewhereText({ lines }: SearchedFile, place: UnclearPlace): string {
  if (place.elsewhere === undefined) return '';
  const { text, position } = place.elsewhere;
  const line = lines.at(position);
  const problem = text === 'old' ? `has a line of ${place.old} exactly as given` : `has ${place.new} already`;
  return `Line ${line + 1} ${problem}, so the edit may be meant for that place:\n${excerpt(lines, line, line + 1)}\n`;
}

/** Creates the error for a text that matches only loosely and has more than one possible replacement. */
export function unclearMatch(file: SearchedFile, place: UnclearPlace, tier: Tier, unclear: Unclear): SynapseError {
  const { start, end } = place;
  const [first, last] = [file.lines.at(start), file.lines.at(Math.max(start, end - 1))];
  const [found, missing] = UNCLEAR[unclear];
  const problem = `and ${missing.replace('%s', () => place.new)} is not clear`;
  return new SynapseError('no_match', `${place.old} is in ${file.path} ${found} (${lineRange(first, last + 1)}), ${problem}; nothing was changed.`, {
    hint: `${elsewhereText(file, place)}Repeat the call with old and new text written as the file is:\n${excerpt(file.lines, first, last + 1)}`,
    details: {
      path: file.path,
      version: file.version,
      tier,
      line: first + 1,
      ...(place.elsewhere === undefined ? {} : { elsewhere: file.lines.at(place.elsewhere.position) + 1 }),
    },
  });
}

/** Common transcription mistakes of models. The first one that applies is reported. */
const ESCAPES: ReadonlyArray<readonly [text: RegExp, hint: string]> = [
  [/&(?:lt|gt|amp|quot|apos|#\d+);/u, 'It has HTML entities such as &lt; the file has the characters themselves.'],
  [/^[^\n]*\\n[^\n]*$/u, 'It has \\n as two characters; send real line ends.'],
  [/^\s*```/u, 'It has a ``` fence around it; send the lines of the file alone.'],
  [/^[-+] ?[^\n]*(?:\n[-+ ][^\n]*)+$/u, 'It has the marks of a diff; send the lines of the file alone, or use apply_patch.'],
];

function escapeHint(wanted: string): string {
  const found = ESCAPES.find(([text]) => text.test(wanted));
  return found === undefined ? '' : `${found[1]}\n`;
}

/** A secret of the user is shown as asterisks, and what was read is commonly sent back. */
function maskHint(wanted: string, { text }: SearchedFile): string {
  const isMasked = wanted.match(/\*{8,}/gu)?.some((run) => !text.includes(run)) === true;
  return isMasked ? 'If the asterisks were read from the file, a secret is masked there: leave that part out.\n' : '';
}

/**
 * Creates the error for a text that was not found. `what` names it in the input, such as `edits[0].old_text`.
 * @param newAt the line, from 0, that already has the new text
 */
export function noMatch(file: SearchedFile, what: string, wanted: string, details: Record<string, unknown> = {}, newAt?: number): SynapseError {
  const region = nearestRegion(file.text, file.lines, wanted);
  const already = newAt === undefined ? '' : `new_text is already there (line ${newAt + 1}): this edit may have been made before.\n`;
  return new SynapseError('no_match', `${what} was not found in ${file.path}; nothing was changed.`, {
    hint: `${already}${escapeHint(wanted)}${maskHint(wanted, file)}${nearestText(file, region, what)}\nRepeat the call with the text exactly as the file has it. The file's version is ${file.version}.`,
    details: { ...missDetails(file, region), ...details },
  });
}

/** Creates the error for a text with several matches when one was expected. `lines` has the first matches, from 0. */
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

/** Creates the error for a file that changed since the call was made, so that the edit may no longer fit. */
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
