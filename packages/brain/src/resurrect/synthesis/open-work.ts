import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { age, amount, join, quote, say, type SafeText } from '../evidence/safe-text.ts';
import type { Leftover } from '../history/leftovers.ts';
import { changedSubmodules } from '../history/submodules.ts';
import type { Findings } from './findings.ts';

const SHOWN_NAMES = 3;

/** Suggests fixing the tests that failed in the last recorded run. */
export function fixFailedTests({ history: { failedRun }, now }: Findings): Claim[] {
  if (failedRun === undefined) return [];
  const { count, names, modified, evidence } = failedRun;
  const shown = names.slice(0, SHOWN_NAMES).map((name) => quote(name, 100));
  const which = shown.length === 0 ? say`` : say`: ${join(shown)}${count > shown.length ? say` and ${count - shown.length} more` : say``}`;
  return [
    claim(
      say`Fix ${count === 1 ? say`the test` : say`the ${amount(count, 'test')}`} that failed in the last recorded run, ${age(now, modified)} ago${which}.`,
      evidence,
    ),
  ];
}

/** Suggests finishing renames and deletions that did not reach all places. */
export function finishRefactoring({ structure, history: { unfinished } }: Findings): Claim[] {
  const { stillUsed, brokenImports, pairs } = unfinished;
  const moved = stillUsed.map(({ kind, what, from, to, committed, uses, evidence }) => {
    const places = join(uses.map(({ path, line }) => quote(`${path}:${line}`)));
    const [first, ...rest] = evidence;
    if (first === undefined) return [];
    const lately = committed ? say`the last commits` : say`the uncommitted changes`;
    if (kind === 'definition')
      return [
        claim(
          say`Finish the refactoring of ${what}: ${lately} took its definition out of ${from}, and ${places} still ${uses.length === 1 ? say`uses` : say`use`} it.`,
          first,
          ...rest,
        ),
      ];
    const how = to === undefined ? say`deleted ${what}` : say`renamed ${what} to ${to}`;
    return [
      claim(say`Finish the refactoring: ${lately} ${how}, and ${places} still ${uses.length === 1 ? say`names` : say`name`} it.`, first, ...rest),
    ];
  });
  // An import of a file that was already reported as removed would repeat the finding.
  const told = new Set(stillUsed.flatMap(({ uses }) => uses.map(({ path, line }) => `${path}:${line}`)));
  const toldNames = new Set(stillUsed.filter(({ kind }) => kind === 'definition').map(({ what }) => what));
  const broken = brokenImports
    .filter(({ path, line, missing }) => !told.has(`${path}:${line}`) && !(missing !== undefined && toldNames.has(missing.name)))
    .map(({ path, specifier, missing, evidence }) =>
      missing === undefined
        ? claim(say`Mend an import in ${path}: there is no file for ${specifier}.`, evidence)
        : claim(say`Mend an import in ${path}: ${missing.module} has nothing called ${missing.name}.`, evidence),
    );
  const both = pairs.flatMap(({ old, new: replacement }) =>
    claimIf(say`Finish the move from ${old} to ${replacement}: both are still there.`, structure.evidence?.slice(-1) ?? []),
  );
  return [...moved.flat().slice(0, 2), ...broken.slice(0, 2), ...both.slice(0, 1)];
}

const ofKind = (leftovers: readonly Leftover[], kind: Leftover['kind']): Leftover[] => leftovers.filter((each) => each.kind === kind);

/** Suggests enabling tests that do not run. */
export function reviveTests({ history: { unfinished } }: Findings): Claim[] {
  const only = ofKind(unfinished.leftovers, 'only-test');
  const skipped = ofKind(unfinished.leftovers, 'skipped-test');
  const told = (words: SafeText, found: readonly Leftover[]): Claim[] =>
    found.slice(0, 1).map(({ path, text, evidence }) => claim(say`${words} in ${path}: ${quote(text, 100)}.`, evidence));
  return [
    ...told(say`Take back the mark that keeps all other tests from running`, only),
    ...told(say`Make a test run again that was left out lately`, skipped),
  ];
}

/** Suggests dealing with recent notes, in one step: each alone would hide other steps. */
export function dealWithNotes({ history: { unfinished } }: Findings): Claim[] {
  // Of equal notes in a file, the first one.
  const notes = [
    ...new Map(
      ofKind(unfinished.leftovers, 'note')
        .toReversed()
        .map((note) => [`${note.path} ${note.text}`, note]),
    ).values(),
  ].toReversed();
  const shown = notes.slice(0, SHOWN_NAMES);
  const [first] = shown;
  if (first === undefined) return [];
  if (notes.length === 1) return [claim(say`Deal with the recent note in ${first.path}: ${quote(first.text, 120)}`, first.evidence)];
  const more = notes.length > shown.length ? say` and ${notes.length - shown.length} more` : say``;
  return claimIf(
    say`Deal with ${notes.length} recent notes: ${join(shown.map(({ path, text }) => say`${quote(text, 80)} in ${path}`))}${more}.`,
    shown.map(({ evidence }) => evidence),
  );
}

const SHOWN_FILES = 3;

/** Suggests going through the notes of all files. */
export function goThroughNotes({ history: { unfinished } }: Findings): Claim[] {
  const { notes } = unfinished;
  const recent = ofKind(unfinished.leftovers, 'note').length;
  if (notes === undefined || notes.lines <= recent) return [];
  const files = join(notes.files.slice(0, SHOWN_FILES).map(({ path, lines }) => say`${path} (${lines})`));
  const more = notes.files.length > SHOWN_FILES ? say` and ${amount(notes.files.length - SHOWN_FILES, 'file')} more` : say``;
  return claimIf(say`Look through ${amount(notes.lines, 'comment')} with TODO, FIXME, XXX or HACK: ${files}${more}.`, notes.evidence);
}

/** Suggests placing hunks that a patch or merge tool rejected. */
export function placeRejects({ structure }: Findings): Claim[] {
  const rejects = structure.paths.filter((path) => path.endsWith('.rej'));
  const [first] = rejects;
  const more = rejects.length > 1 ? say` and ${rejects.length - 1} more` : say``;
  return first === undefined ? [] : claimIf(say`Place by hand what a patch could not: ${first}${more}.`, structure.evidence?.slice(-1) ?? []);
}

/** Suggests settling submodules that are at another commit than recorded, or contain changes. */
export function settleSubmodules({ history: { repository } }: Findings): Claim[] {
  return changedSubmodules(repository?.uncommitted.patches ?? [])
    .slice(0, SHOWN_NAMES)
    .map(({ path, moved, evidence }) =>
      claim(
        moved
          ? say`Commit the new commit of submodule ${path}, or go back to the recorded one with \`git submodule update\`.`
          : say`Look through the changes in submodule ${path}, and commit or drop them there.`,
        evidence,
      ),
    );
}

/** Suggests fetching empty submodules. */
export function fetchSubmodules({ history: { repository } }: Findings): Claim[] {
  const empty = repository?.emptySubmodules ?? [];
  return claimIf(
    say`Fetch the submodules with \`git submodule update --init\`: ${join(empty.slice(0, SHOWN_NAMES).map(({ path }) => quote(path)))} ${empty.length === 1 ? say`is` : say`are`} empty.`,
    empty.slice(0, SHOWN_NAMES).map(({ evidence }) => evidence),
  );
}
