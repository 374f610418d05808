import { SynapseError } from '@synapse/protocol';
import type { Replacement } from './changed-part.ts';
import { ambiguousMatch, noMatch, type SearchedFile, staleFile, unclearMatch } from './edit-errors.ts';
import { editSlip } from './edit-slips.ts';
import { type FileStyle, fileStyle } from './file-style.ts';
import { findAll, findFirst } from './find-all.ts';
import { toLineFeeds, MIN_TELLING_CHARACTERS } from './lines.ts';
import { type Match, type Matches, TextMatcher } from './match-text.ts';
import { type Tier, TIER_MEANING, TYPOGRAPHIC_QUOTE } from './tiers.ts';

/** One replacement, as requested. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

/** Where an edit applies. */
interface PlannedEdit {
  /** First line that the edit touches, from 1. */
  readonly line: number;
  readonly tier: Tier;
  readonly count: number;
}

/** The result of planning a list of edits. */
interface EditPlan {
  /** In ascending order, not overlapping. */
  readonly replacements: readonly Replacement[];
  readonly edits: readonly PlannedEdit[];
  /** Describes edits that were not applied exactly as given. */
  readonly notes: readonly string[];
}

/** Maximum number of characters that all edits together may search. Takes a few seconds at worst and blocks everything else. */
const MAX_SEARCHED_CHARACTERS = 500_000_000;
const MAX_REPLACEMENTS = 1_000_000;
const USE = 'Each edit is { old_text, new_text, replace_all? }; old_text is what the file has now, new_text what is to be there.';

function refuse(message: string, hint = USE): never {
  throw new SynapseError('invalid_arguments', message, { hint });
}

function assertSensible(edits: readonly Edit[], path: string): void {
  if (edits.length === 0) refuse('edits is empty: there is nothing to do.');
  for (const [index, edit] of edits.entries()) {
    if (edit.old_text === '') {
      refuse(
        `edits[${index}].old_text is empty, so it matches no place.`,
        `To insert text, give the line before it as old_text, and that line with the new text as new_text. To write the whole of ${path}, use write_file.`,
      );
    }
    if (edit.old_text === edit.new_text) refuse(`edits[${index}]: old_text and new_text are the same, so nothing would change.`);
    if (toLineFeeds(edit.old_text) === toLineFeeds(edit.new_text)) {
      refuse(
        `edits[${index}]: old_text and new_text differ in line ends only, and edits keep those of the file.`,
        'Use write_file to change the line ends of a file.',
      );
    }
  }
}

/** A place where an edit applies. */
interface Span extends Match {
  readonly edit: number;
  readonly replacement: Replacement;
}

/** An edit with what it matches. */
interface FoundEdit {
  readonly index: number;
  readonly edit: Edit;
  /** The name of its text in messages. */
  readonly what: string;
  readonly found: Matches;
  readonly first: Match;
  /** Whether the file has the text as given. */
  readonly isExact: boolean;
}

function assertDisjoint(spans: readonly Span[]): void {
  for (const [index, span] of spans.entries()) {
    const next = spans[index + 1];
    if (next === undefined || next.start >= span.end) continue;
    const [a, b] = [span.edit, next.edit].toSorted((x, y) => x - y);
    refuse(
      `edits[${a}] and edits[${b}] change the same text; nothing was changed.`,
      'All edits are matched against the file as it is before the call. Join those that overlap into one.',
    );
  }
}

/**
 * Finds the place of every edit in a file. Matches all of them against the current text. Pure.
 * @param expected the version that the caller knows. If the file has another one, only text that matches
 *   exactly and only once is changed
 * @throws SynapseError `invalid_arguments`, `no_match`, `ambiguous_match`, `conflict` or `too_large`
 */
export function planEdits(file: SearchedFile, edits: readonly Edit[], expected: string | undefined): EditPlan {
  assertSensible(edits, file.path);
  const newLength = edits.reduce((sum, edit) => sum + edit.new_text.length, 0);
  let searched = 0;
  const spend = (characters: number): void => {
    searched += characters;
    if (searched <= MAX_SEARCHED_CHARACTERS) return;
    throw new SynapseError('too_large', `${edits.length} edits are too many at once for a file of the size of ${file.path}.`, {
      hint: 'Send fewer edits in one call.',
    });
  };
  spend(edits.length * file.text.length);
  const known = expected === file.version ? undefined : expected;
  const matcher = new TextMatcher(file.text);
  const style = fileStyle(file.text);
  const spans: Span[] = [];
  const planned: PlannedEdit[] = [];
  const notes: string[] = [];
  for (const [index, edit] of edits.entries()) {
    const place = findEdit(file, matcher, edit, index, known);
    if (!place.isExact) {
      spend(newLength);
      assertNotBrought(place, edits);
    }
    assertMeant(file, style, place);
    assertFew(file, place, spans.length);
    spans.push(...spansOf(file, place));
    const line = file.lines.at(place.first.start) + 1;
    planned.push({ line, tier: place.found.tier, count: place.found.count });
    notes.push(...notesOf(file, place, line));
  }
  for (const index of withoutEffect(file, spans, edits.length)) {
    const { line } = planned[index] ?? { line: 1 };
    notes.push(`edits[${index}] changes nothing: line ${line} reads so already.`);
  }
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  assertDisjoint(spans);
  return { replacements: spans.map(({ replacement }) => replacement), edits: planned, notes };
}

/**
 * Finds what an edit matches.
 * @param known the version that the caller knows, if the file has another one
 * @throws SynapseError if there is no place, or not one
 */
function findEdit(file: SearchedFile, matcher: TextMatcher, edit: Edit, index: number, known: string | undefined): FoundEdit {
  const what = `edits[${index}].old_text`;
  const found = matcher.find(edit.old_text, edit.new_text, edit.replace_all);
  const isExact = found?.tier === 'exact' && found.without === undefined;
  if (known !== undefined && (!isExact || found.count > 1)) throw staleFile(file, what, known, edit.old_text, found);
  const [first] = found?.matches ?? [];
  const already = isExact ? undefined : placeOfWritten(file, edit, found);
  if (found === undefined || first === undefined || already !== undefined) throw noMatch(file, what, edit.old_text, {}, already);
  if (found.count > 1 && !edit.replace_all) {
    const lines = found.matches.map(({ start }) => file.lines.at(start));
    const advice = 'Give more of the text around the one you mean, or pass "replace_all": true to change them all.';
    throw ambiguousMatch(file, what, { tier: found.tier, count: found.count, lines }, advice);
  }
  return { index, edit, what, found, first, isExact };
}

/** Where the file has the new text of an edit that matches nothing exactly: a similar match is another place then. Of all places, some may have it. */
function placeOfWritten(file: SearchedFile, edit: Edit, found: Matches | undefined): number | undefined {
  if (found === undefined) return placeOfNew(file, edit.new_text, undefined);
  if (found.tier === 'unicode' || edit.replace_all) return undefined;
  const [first] = found.matches;
  return placeOfNew(file, edit.new_text, first) ?? (found.tier === 'indentation' ? placeOfLine(file, edit.new_text, first) : undefined);
}

/** Refuses a similar match of a text that another edit brings. */
function assertNotBrought({ index, edit, what }: FoundEdit, edits: readonly Edit[]): void {
  const other = edits.findIndex((one, at) => at !== index && bringsText(one, edit.old_text));
  if (other === -1) return;
  refuse(
    `${what} is text that edits[${other}] brings, and the file has it only with other white space or characters; nothing was changed.`,
    'All edits are matched against the file as it is before the call. Join the two edits into one.',
  );
}

/** Refuses a new text that has a slip of the caller in it. */
function assertMeant(file: SearchedFile, style: FileStyle, { index, edit, found, first }: FoundEdit): void {
  const slip = editSlip(file, style, first, found.used ?? { old: toLineFeeds(edit.old_text), new: toLineFeeds(edit.new_text) });
  if (slip !== undefined) refuse(`edits[${index}].new_text ${slip.problem}; nothing was changed.`, slip.hint);
}

function assertFew(file: SearchedFile, { what, found }: FoundEdit, before: number): void {
  if (before + found.count <= MAX_REPLACEMENTS) return;
  throw new SynapseError('too_large', `${what} occurs ${found.count.toLocaleString('en')} times in ${file.path}; nothing was changed.`, {
    hint: `Up to ${MAX_REPLACEMENTS.toLocaleString('en')} places can be changed in one call; use run_command for more.`,
  });
}

function spansOf(file: SearchedFile, { index, what, found }: FoundEdit): Span[] {
  return found.matches.map(({ start, end, replacement, elsewhere }) => {
    if (typeof replacement === 'string') throw unclearMatch(file, { old: what, new: 'new_text', start, end, elsewhere }, found.tier, replacement);
    return { start, end, replacement, edit: index };
  });
}

/** Notes about an edit that was not applied exactly as given. */
function notesOf(file: SearchedFile, { index, edit, found, isExact }: FoundEdit, line: number): string[] {
  return [
    ...(found.tier === 'exact' ? [] : [`edits[${index}] matched ${TIER_MEANING[found.tier]}.`]),
    ...(isExact && bringsQuotes(file, edit) ? [`edits[${index}].new_text has typographic quotes, and the file had none.`] : []),
    ...(found.without === undefined ? [] : [`edits[${index}] was taken without ${found.without} (line ${line}).`]),
  ];
}

/** Whether an edit brings a text to the file. */
function bringsText({ old_text: old, new_text: fresh }: Edit, text: string): boolean {
  if (text.trim().length < MIN_TELLING_CHARACTERS) return false;
  const brought = toLineFeeds(text);
  return findFirst(toLineFeeds(fresh), brought) !== -1 && findFirst(toLineFeeds(old), brought) === -1;
}

/** Whether the new text adds the first typographic quotes to a file: written as given, but perhaps unintended. */
function bringsQuotes({ text }: SearchedFile, { new_text: newText }: Edit): boolean {
  return TYPOGRAPHIC_QUOTE.test(newText) && !TYPOGRAPHIC_QUOTE.test(text);
}

/** Returns the edits that change nothing. Throws if no edit changes anything: that is not a success. */
function withoutEffect(file: SearchedFile, spans: readonly Span[], edits: number): number[] {
  const effective = new Set(spans.filter(({ replacement: { start, end, text } }) => file.text.slice(start, end) !== text).map(({ edit }) => edit));
  const idle = Array.from({ length: edits }, (_, index) => index).filter((index) => !effective.has(index));
  if (effective.size === 0) {
    const line = file.lines.at(spans[0]?.start ?? 0) + 1;
    refuse(`${file.path} has the new text already (line ${line}), so nothing was changed.`, 'Read the file if that is not what you expected.');
  }
  return idle;
}

/** Returns the line that already has the new text of an edit, for example after the same edit was applied; undefined if not unique. */
function placeOfNew(file: SearchedFile, newText: string, match: Match | undefined): number | undefined {
  if (match !== undefined && typeof match.replacement !== 'string') {
    const { start, end, text } = match.replacement;
    const whole = file.text.slice(match.start, start) + text + file.text.slice(end, match.end);
    if (whole !== newText && whole.length > match.end - match.start) {
      const place = placeOf(file, whole, match);
      if (place !== undefined) return place;
    }
  }
  return placeOf(file, newText, match);
}

/** Returns another line that has a new text of one line with any indentation: that of the old text is no evidence then. */
function placeOfLine({ lines }: SearchedFile, newText: string, match: Match | undefined): number | undefined {
  const [wanted = '', ...others] = newText.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (match === undefined || others.length > 0 || wanted.length < MIN_TELLING_CHARACTERS) return undefined;
  const [first, last] = [lines.at(match.start), lines.at(Math.max(match.start, match.end - 1))];
  for (let line = 0; line < lines.count; line += 1) if ((line < first || line > last) && lines.text(line).trim() === wanted) return line;
  return undefined;
}

function placeOf(file: SearchedFile, newText: string, match: Match | undefined): number | undefined {
  const text = file.text.includes('\r\n') ? toLineFeeds(newText).replaceAll('\n', '\r\n') : toLineFeeds(newText);
  if (text.trim().length < MIN_TELLING_CHARACTERS) return undefined;
  const [first, second] = findAll(file.text, text, false);
  if (first === undefined || second !== undefined) return undefined;
  // Less than the old text is a part of it, and no sign that it is replaced already.
  if (match !== undefined && first >= match.start && first + text.length <= match.end) return undefined;
  return file.lines.at(first + (text.length - text.trimStart().length));
}
