import { SynapseError } from '@synapse/protocol';

const MAX_REVISION_CHARACTERS = 1_000;
const CONTROL = /\p{Cc}/u;

const HINT = 'Give a branch, tag, commit id or an expression such as HEAD~2, main..feature or main...feature.';

function refuse(message: string): never {
  throw new SynapseError('invalid_arguments', message, { hint: HINT });
}

/**
 * Parses a revision or range from a model. A leading `-` would make it an option of git; no
 * branch or tag can begin with it.
 */
export function parseRevision(text: string): string {
  const revision = text.trim();
  if (revision === '') refuse('The revision is empty.');
  if (revision.length > MAX_REVISION_CHARACTERS) refuse(`The revision is longer than ${MAX_REVISION_CHARACTERS} characters.`);
  if (CONTROL.test(revision) || !revision.isWellFormed()) refuse('The revision holds control characters.');
  if (revision.split(/\.{2,3}/u).some((side) => side.startsWith('-'))) refuse('A revision cannot begin with "-".');
  if (/^\.{2,3}$/u.test(revision)) refuse('A range needs a side.');
  return revision;
}

/** A side of a range: a commit, optionally with a suffix that git reads as a range. */
const SIDE = /^(?<commit>.*?)(?<range>\^[!@]|\^-\d*)?$/su;
const BRACES = /\{[^}]*\}/gu;
/** The youngest commit with a text in its message. Everything after `:/` is text, unless it is read as a range. */
const SEARCH = /^:\/(?!.*\.\.)/su;

/** Whether a part of the revision is a path, so that it may name something other than a commit. */
function namesPath(revision: string): boolean {
  return !SEARCH.test(revision) && revision.replaceAll(BRACES, '').includes(':');
}

/**
 * Requires each side of a revision or range to be a commit. A folder or a file content named by its ID or as
 * `revision:path` would lack the path that decides whether it may be read.
 */
function asCommits(revision: string): string {
  if (SEARCH.test(revision)) return revision;
  return revision
    .split(/(\.{2,3})/u)
    .map((side, index) => {
      const { commit = '', range = '' } = SIDE.exec(side)?.groups ?? {};
      return index % 2 === 1 || commit === '' ? side : `${commit}^{commit}${range}`;
    })
    .join('');
}

/** Parses what a diff compares: commits only. */
export function parseComparison(text: string): string {
  const revision = parseRevision(text);
  if (namesPath(revision)) refuse('A diff compares commits; limit it with "path", and read one file with git_show.');
  return asCommits(revision);
}

/** Parses the start of a history, or a range of it: commits only. */
export function parseHistory(text: string): string {
  const revision = parseRevision(text);
  if (namesPath(revision)) refuse('A history is one of commits, and this names a file or a folder; give that as "path".');
  return asCommits(revision);
}

/** Whether a revision is a range of two, or excludes a history. */
export function isRange(revision: string): boolean {
  return revision.includes('..') || revision.startsWith('^');
}

/** Parses a single revision, and returns it unchanged; {@link commitArgument} makes it a commit. */
export function parseSingleRevision(text: string): string {
  const revision = parseRevision(text);
  if (isRange(revision)) refuse('One revision is needed here, not a range.');
  if (namesPath(revision)) refuse('A commit is needed here, and this names a file or a folder; give that as "path".');
  return revision;
}

/** Returns a single revision as an argument that can only mean a commit. */
export function commitArgument(revision: string): string {
  return SEARCH.test(revision) ? revision : `${revision}^{commit}`;
}

/** Splits git's `revision:path`; braces may contain a colon that is part of the revision. */
export function splitRevisionPath(text: string): { revision: string; path: string | undefined } {
  const match = /^(?<revision>[^:{]+(?:\{[^}]*\}[^:{]*)*):(?<path>(?:[^:].*)?)$/su.exec(text);
  const path = match?.groups?.['path'];
  // Without a path after the colon, git means the top folder.
  return { revision: match?.groups?.['revision'] ?? text, path: path === '' ? '.' : path };
}
