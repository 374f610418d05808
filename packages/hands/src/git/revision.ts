import { SynapseError } from '@synapse/protocol';

const MAX_REVISION_CHARACTERS = 1_000;
const CONTROL = /\p{Cc}/u;

const HINT = 'Give a branch, tag, commit id or an expression such as HEAD~2, main..feature or main...feature.';

function refuse(message: string): never {
  throw new SynapseError('invalid_arguments', message, { hint: HINT });
}

/**
 * Reads a revision or range as a model wrote it. What begins with `-` would be an option to git; no
 * branch or tag can begin so.
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

/** A side of a range: a commit, and perhaps what git reads as a range of one. */
const SIDE = /^(?<commit>.*?)(?<range>\^[!@]|\^-\d*)?$/su;
const BRACES = /\{[^}]*\}/gu;
/** The youngest commit with a text in its message. All that follows is text, where it is not read as a range. */
const SEARCH = /^:\/(?!.*\.\.)/su;

/** Whether a part of the revision is a path: what it names need not be a commit. */
function namesPath(revision: string): boolean {
  return !SEARCH.test(revision) && revision.replaceAll(BRACES, '').includes(':');
}

/**
 * A revision, or each side of a range, as the commit that it must be. A folder or a content named by its id or as
 * `revision:path` would come without the path that tells whether it may be read.
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

/** Reads what a diff compares: commits only. */
export function parseComparison(text: string): string {
  const revision = parseRevision(text);
  if (namesPath(revision)) refuse('A diff compares commits; limit it with "path", and read one file with git_show.');
  return asCommits(revision);
}

/** Reads where a history begins, or a range of it: commits only. */
export function parseHistory(text: string): string {
  const revision = parseRevision(text);
  if (namesPath(revision)) refuse('A history is one of commits, and this names a file or a folder; give that as "path".');
  return asCommits(revision);
}

/** Whether a revision is a range of two, or leaves out a history. */
function isRange(revision: string): boolean {
  return revision.includes('..') || revision.startsWith('^');
}

/** Reads a revision that must be a single one, as the model wrote it; {@link commitArgument} makes it a commit. */
export function parseSingleRevision(text: string): string {
  const revision = parseRevision(text);
  if (isRange(revision)) refuse('One revision is needed here, not a range.');
  if (namesPath(revision)) refuse('A commit is needed here, and this names a file or a folder; give that as "path".');
  return revision;
}

/** A single revision as an argument that can only mean a commit. */
export function commitArgument(revision: string): string {
  return SEARCH.test(revision) ? revision : `${revision}^{commit}`;
}

/** Takes git's own `revision:path` apart; braces may hold a colon that is part of the revision. */
export function splitRevisionPath(text: string): { revision: string; path: string | undefined } {
  const match = /^(?<revision>[^:{]+(?:\{[^}]*\}[^:{]*)*):(?<path>(?:[^:].*)?)$/su.exec(text);
  const path = match?.groups?.['path'];
  // Without a path after the colon, git means the top folder.
  return { revision: match?.groups?.['revision'] ?? text, path: path === '' ? '.' : path };
}
