import { changedPart, type Found, type Replacement, type Unclear, type Wanted } from './changed-part.ts';
import { fileStyle } from './file-style.ts';
import { findAll, findFirst } from './find-all.ts';
import { followFile, type FollowFile } from './follow-file.ts';
import { fitIndentation } from './fit-indentation.ts';
import { type LineEnd, mostLineEnds, toLineFeeds, MIN_TELLING_CHARACTERS } from './lines.ts';
import { compareIndents, completeMargin, type Reindent } from './reindent.ts';
import { REPAIRS, type Repair } from './repairs.ts';
import { identityView, indentOf, LINE_KEY, NORMALIZE, type Tier, TIERS, type View } from './tiers.ts';

/** A match, and the part of it that changes. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** The replacement, or why it is ambiguous. */
  readonly replacement: Replacement | Unclear;
  /** Where else a text of the edit occurs as given, so that the edit may be meant for that place. */
  readonly elsewhere?: Elsewhere;
}

/** A text of an edit at another place. */
export interface Elsewhere {
  readonly text: 'old' | 'new';
  /** Position in the source. */
  readonly position: number;
}

/** The matches at the strictest tier that found the text. */
export interface Matches {
  readonly tier: Tier;
  readonly count: number;
  /** All matches if all are replaced, else the first {@link SHOWN_MATCHES}. */
  readonly matches: readonly Match[];
  /** Describes what was removed from the given texts before matching; undefined if they were used unchanged. */
  readonly without?: string;
  /** The texts that were used, with line feeds, if something was removed from the given ones. */
  readonly used?: Wanted;
}

/** Maximum number of matches listed if one was expected. */
export const SHOWN_MATCHES = 5;

/** Maximum number of characters compared without a match when searching for shifted indentation. Stops input that is built to be slow. */
const MAX_VAIN_CHARACTERS = 5_000_000;

const HAS_WORD = /[\p{L}\p{N}_]/u;

interface Candidate {
  readonly found: Found;
  /** The texts for this match; undefined if the indentation is ambiguous. */
  readonly wanted: Wanted | undefined;
  readonly elsewhere?: Elsewhere | undefined;
}

/** Reads the lines of a text, one after the other. */
class LinesFrom {
  readonly #text: string;
  /** Where the next one begins. */
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  next(): string {
    const end = this.#text.indexOf('\n', this.at);
    const line = this.#text.slice(this.at, end === -1 ? undefined : end);
    this.at += line.length + 1;
    return line;
  }
}

/** Finds texts in one text, tier by tier. Prepares a looser tier when it is first used. */
export class TextMatcher {
  readonly #source: string;
  readonly #views = new Map<Tier, View>();
  readonly #compare: ReturnType<typeof compareIndents>;
  #majority: LineEnd | undefined;

  constructor(source: string) {
    this.#source = source;
    this.#compare = compareIndents(fileStyle(source));
  }

  /** @param all replaces every match, so matches must not overlap; otherwise overlapping matches count too */
  find(oldText: string, newText: string, all: boolean): Matches | undefined {
    const wanted: Wanted = { old: toLineFeeds(oldText), new: toLineFeeds(newText) };
    // Indentation comes last: a match without a model's additions is closer than one with other indentation.
    for (const tiers of [TIERS.slice(0, -1), TIERS.slice(-1)]) {
      const found = this.#search(wanted, all, tiers);
      if (found !== undefined) return found;
      for (const repair of REPAIRS) {
        const other = this.#repaired(repair, wanted, all, tiers);
        if (other !== undefined) return other;
      }
    }
    return undefined;
  }

  #view(tier: Tier): View {
    const known = this.#views.get(tier);
    if (known !== undefined) return known;
    const before = TIERS[TIERS.indexOf(tier) - 1];
    const view = NORMALIZE[tier](before === undefined ? identityView(this.#source) : this.#view(before));
    this.#views.set(tier, view);
    return view;
  }

  #lineEnd(): LineEnd {
    return (this.#majority ??= mostLineEnds(this.#source) ?? '\n');
  }

  #replacement(tier: Tier, { found, wanted }: Candidate): Replacement | Unclear {
    if (wanted === undefined) return 'indentation';
    const literal: FollowFile = (start, end) => wanted.new.slice(start, end);
    const follow = tier === 'exact' ? literal : followFile(wanted.old, toLineFeeds(this.#source.slice(found.start, found.end)), wanted.new);
    return changedPart(found, wanted, follow, () => this.#lineEnd());
  }

  #collect(tier: Tier, all: boolean, candidates: Iterable<Candidate>): Matches | undefined {
    const matches: Match[] = [];
    let count = 0;
    for (const candidate of candidates) {
      count += 1;
      if (!all && matches.length === SHOWN_MATCHES) continue;
      const { found, elsewhere } = candidate;
      matches.push({
        start: found.start,
        end: found.end,
        replacement: this.#replacement(tier, candidate),
        ...(elsewhere === undefined ? {} : { elsewhere }),
      });
    }
    return count === 0 ? undefined : { tier, count, matches };
  }

  *#plain(tier: Tier, wanted: Wanted, needle: View, all: boolean): Generator<Candidate> {
    const view = this.#view(tier);
    const hasText = wanted.old.trim() !== '';
    for (const position of findAll(view.text, needle.text, !all)) {
      const found = foundAt(this.#source, view, position, needle);
      if (found === undefined) continue;
      const before = hasText ? marginBefore(view.text, position) : '';
      if (before === '') yield { found, wanted };
      else {
        const completed = completeMargin(wanted, before, this.#compare);
        if (completed === undefined || completed.before === '') yield { found, wanted: completed };
        else yield { found: foundAt(this.#source, view, position - before.length, viewFor(tier, completed.old)) ?? found, wanted: completed };
      }
    }
  }

  *#reindented(wanted: Wanted, all: boolean): Generator<Candidate> {
    // Brackets alone stand everywhere: without their indentation, they show no place.
    if (!HAS_WORD.test(wanted.old)) return;
    const source = this.#source;
    const [view, trimmed] = [this.#view('indentation'), this.#view('trailing_whitespace')];
    const body = withoutLastLineFeed(wanted.old);
    const given = body.split('\n');
    const length = wanted.old.length + wanted.new.length;
    const alike: Candidate[] = [];
    const placeElsewhere = elsewhereFinder(view, trimmed, wanted, given);
    let matched = false;
    let budget = MAX_VAIN_CHARACTERS + 4 * length;
    let free = 0;
    // Whole lines only. The added line feeds make the first and the last line match like the others.
    const pattern = `\n${viewFor('indentation', body).text}\n`;
    const endsLine = wanted.old.endsWith('\n');
    const alikeAt = (position: number, start: number): Candidate[] => {
      const end = view.toSource(position + pattern.length - 2, 'before');
      return end === undefined ? [] : [{ found: { source, view, position, needle: view, start, end }, wanted: undefined }];
    };
    const candidateAt = (position: number, start: number, reindent: Reindent): Candidate | undefined => {
      const old = endsLine ? `${reindent.found}\n` : reindent.found;
      const found = foundAt(source, trimmed, start, trimmedView(old));
      if (found === undefined) return undefined;
      const newText = fittedText(reindent, given, wanted.new);
      // The new text, or the most telling old line as given, stands at another place: the edit may be meant for that one.
      const elsewhere = all ? undefined : placeElsewhere(position, pattern.length, reindent.found);
      return { found, wanted: newText === undefined || elsewhere !== undefined ? undefined : { old, new: newText }, elsewhere };
    };
    for (const position of findAll(`\n${view.text}\n`, pattern, true)) {
      const lineStart = view.toSource(position, 'before');
      if (lineStart === undefined || lineStart < free) continue;
      const start = trimmed.fromSource(lineStart, 'before');
      const lines = new LinesFrom(trimmed.text, start);
      const reindent = this.#compare(given, () => lines.next());
      budget -= lines.at - start + (reindent === undefined ? 0 : length);
      if (budget < 0) return;
      if (reindent === undefined) {
        // Another indentation is no evidence against a place that is alike otherwise.
        if (!all && alike.length < SHOWN_MATCHES) alike.push(...alikeAt(position, lineStart));
        continue;
      }
      // The last line of the file has no line end to replace.
      if (endsLine && lines.at > trimmed.text.length) continue;
      const candidate = candidateAt(position, start, reindent);
      if (candidate === undefined) continue;
      if (all) {
        free = candidate.found.end;
        budget += 2 * length;
      }
      matched = true;
      yield candidate;
    }
    if (matched) yield* alike;
  }

  #search(wanted: Wanted, all: boolean, tiers: readonly Tier[]): Matches | undefined {
    for (const tier of tiers) {
      // White space alone would match nearly everywhere in the looser tiers.
      if (tier !== 'exact' && wanted.old.trim() === '') return undefined;
      const places = tier === 'indentation' ? this.#reindented(wanted, all) : this.#plain(tier, wanted, viewFor(tier, wanted.old), all);
      const found = this.#collect(tier, all, places);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #repaired(repair: Repair, given: Wanted, all: boolean, tiers: readonly Tier[]): Matches | undefined {
    const { wanted, isPlace } = repair.apply(given, this.#source) ?? {};
    // What is left of a text without words stands everywhere.
    if (wanted === undefined || !HAS_WORD.test(wanted.old)) return undefined;
    // The repair selects among several matches, so it needs all of them.
    const found = this.#search(wanted, all || isPlace !== undefined, tiers);
    const matches = found?.matches.filter(({ start, end }) => isPlace === undefined || isPlace(this.#source, start, end)) ?? [];
    if (found === undefined || matches.length === 0) return undefined;
    return { tier: found.tier, count: isPlace === undefined ? found.count : matches.length, matches, without: repair.without, used: wanted };
  }
}

/** Returns the index of the longest line that has an indentation and tells its place; -1 if there is none. */
function longestLine(lines: readonly string[]): number {
  let longest = -1;
  for (const [index, line] of lines.entries()) {
    const { length } = line.trim();
    if (length >= MIN_TELLING_CHARACTERS && indentOf(line) !== '' && length > (lines[longest]?.trim().length ?? 0)) longest = index;
  }
  return longest;
}

/** Characters behind a line in which a comment begins. */
const MAX_GAP = 100;
const COMMENT = /^[ \t]+(?:\/[/*]|#|--|<!--|;|%)/u;

/** Returns the position of a line that occurs as given, alone or before a comment that came since; -1 if there is none. */
function placeOfLine(text: string, line: string): number {
  for (const position of findAll(`\n${text}`, `\n${line}`, false)) {
    const end = position + line.length;
    if (end === text.length || text[end] === '\n' || COMMENT.test(text.slice(end, end + MAX_GAP))) return position;
  }
  return -1;
}

/** The new text with the indentation of a place; undefined if it is not clear. */
function fittedText(reindent: Reindent, given: readonly string[], fresh: string): string | undefined {
  const [fitted] = fitIndentation(reindent, [{ given, found: reindent.found.split('\n'), fresh: fresh.split('\n') }]) ?? [];
  return fitted?.join('\n');
}

/** Finds out where the new text, or the most telling old line as given, stands elsewhere than at a match. */
function elsewhereFinder(view: View, trimmed: View, wanted: Wanted, given: readonly string[]) {
  const again = standsElsewhere(view.text, wanted);
  const rival = longestLine(given);
  const rivalLine = LINE_KEY.trailing_whitespace(given[rival] ?? '');
  const rivalPlace = rival === -1 ? -1 : placeOfLine(trimmed.text, rivalLine);
  return (position: number, length: number, found: string): Elsewhere | undefined => {
    const place = again(position, length);
    if (place !== undefined) return { text: 'new', position: view.toSource(place, 'after') ?? 0 };
    if (rivalPlace === -1 || found.split('\n')[rival] === rivalLine) return undefined;
    return { text: 'old', position: trimmed.toSource(rivalPlace, 'after') ?? 0 };
  };
}

/** Returns what finds the new lines in a text without indentation, elsewhere than at a part of it. */
function standsElsewhere(text: string, { old, new: fresh }: Wanted): (position: number, length: number) => number | undefined {
  const lines = viewFor('indentation', withoutLastLineFeed(fresh)).text;
  const known = new Set(viewFor('indentation', old).text.split('\n'));
  const added = lines.split('\n').filter((line) => !known.has(line));
  if (added.join('').length < MIN_TELLING_CHARACTERS || !HAS_WORD.test(added.join(''))) return () => undefined;
  const place = findFirst(`\n${text}\n`, `\n${lines}\n`);
  return (position, length) => (place !== -1 && (place + lines.length < position || place > position + length) ? place : undefined);
}

/** Returns the white space between the start of a line and a position; empty if the line has other text there. */
function marginBefore(text: string, position: number): string {
  let start = position;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return start === 0 || text[start - 1] === '\n' ? text.slice(start, position) : '';
}

/** Creates the view of a text for a tier. */
function viewFor(tier: Tier, text: string): View {
  return TIERS.slice(1, TIERS.indexOf(tier) + 1).reduce((view, one) => NORMALIZE[one](view), identityView(text));
}

function trimmedView(text: string): View {
  return viewFor('trailing_whitespace', text);
}

function withoutLastLineFeed(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Maps a match in a view to the source; undefined if its ends are ambiguous. */
function foundAt(source: string, view: View, position: number, needle: View): Found | undefined {
  const last = position + needle.text.length;
  // If white space at the end of the given text was ignored, the line must end there, else "return " would match "returned".
  const cut = needle.toSource(needle.text.length, 'before') !== needle.toSource(needle.text.length, 'after');
  if (cut && last < view.text.length && view.text[last] !== '\n') return undefined;
  const start = view.toSource(position, 'after');
  const end = view.toSource(last, cut ? 'after' : 'before');
  return start === undefined || end === undefined ? undefined : { source, view, position, needle, start, end };
}
