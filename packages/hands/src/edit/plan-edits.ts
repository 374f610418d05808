import { SynapseError } from '@synapse/protocol';
import type { Replacement } from './changed-part.ts';
import { ambiguousMatch, noMatch, staleFile, type SearchedFile } from './edit-errors.ts';
import { toLineFeeds } from './line-ends.ts';
import { createTextMatcher, type Match } from './match-text.ts';
import type { Tier } from './tiers.ts';

/** One replacement as a caller asks for it. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
}

/** Where an edit applies. */
export interface PlannedEdit {
  /** First line that it touches, from 1. */
  readonly line: number;
  readonly tier: Tier;
  readonly count: number;
}

/** What a list of edits comes to. */
export interface EditPlan {
  /** In ascending order, not overlapping. */
  readonly replacements: readonly Replacement[];
  readonly edits: readonly PlannedEdit[];
}

/** Characters that all edits together may search: some seconds at worst, during which nothing else runs. */
const MAX_SEARCHED_CHARACTERS = 500_000_000;
const MAX_REPLACEMENTS = 1_000_000;

const USE = 'Each edit is { old_text, new_text, replace_all? }; old_text is what the file has now, new_text what is to stand there.';

function refuse(message: string, hint = USE): never {
  throw new SynapseError('invalid_arguments', message, { hint });
}

function assertSensible(edits: readonly Edit[], path: string): void {
  if (edits.length === 0) refuse('edits is empty: there is nothing to do.');
  for (const [index, edit] of edits.entries()) {
    if (edit.old_text === '') {
      refuse(
        `edits[${index}].old_text is empty, so there is no place to change.`,
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

function assertDisjoint(spans: ReadonlyArray<Match & { edit: number }>): void {
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
 * Finds the place of every edit in a file, all against the text as it is. Pure.
 * @param expected the version that the caller knows; where it is another one, only text that is exactly
 *   as given, and only once, is changed
 * @throws SynapseError `invalid_arguments`, `no_match`, `ambiguous_match`, `conflict` or `too_large`
 */
export function planEdits(file: SearchedFile, edits: readonly Edit[], expected: string | undefined): EditPlan {
  assertSensible(edits, file.path);
  if (edits.length * file.text.length > MAX_SEARCHED_CHARACTERS) {
    throw new SynapseError('too_large', `${edits.length} edits are too many at once for a file of the size of ${file.path}.`, {
      hint: 'Send fewer edits in one call.',
    });
  }
  const stale = expected !== undefined && expected !== file.version;
  const matcher = createTextMatcher(file.text);
  const spans: Array<Match & { edit: number }> = [];
  const planned: PlannedEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    const what = `edits[${index}].old_text`;
    const found = matcher.find(edit.old_text, edit.new_text, edit.replace_all);
    if (stale && (found?.tier !== 'exact' || found.count > 1)) throw staleFile(file, what, expected, edit.old_text, found);
    const first = found?.matches[0];
    if (found === undefined || first === undefined) throw noMatch(file, what, edit.old_text);
    if (found.count > 1 && !edit.replace_all) {
      const lines = found.matches.map(({ start }) => file.lines.at(start));
      const advice = 'Give more of the text around the one you mean, or pass "replace_all": true to change them all.';
      throw ambiguousMatch(file, what, { tier: found.tier, count: found.count, lines }, advice);
    }
    if (spans.length + found.count > MAX_REPLACEMENTS) {
      throw new SynapseError('too_large', `${what} occurs ${found.count.toLocaleString('en')} times in ${file.path}; nothing was changed.`, {
        hint: `Up to ${MAX_REPLACEMENTS.toLocaleString('en')} places can be changed in one call; use run_command for more.`,
      });
    }
    for (const match of found.matches) spans.push({ ...match, edit: index });
    planned.push({ line: file.lines.at(first.start) + 1, tier: found.tier, count: found.count });
  }
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  assertDisjoint(spans);
  return { replacements: spans.map(({ replacement }) => replacement), edits: planned };
}
