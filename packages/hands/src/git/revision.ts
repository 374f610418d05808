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
  return revision;
}

/** A side of a comparison: a commit, and perhaps what git reads as a range of one. */
const SIDE = /^(?<commit>.*?)(?<range>\^!|\^-\d*)?$/su;
const BRACES = /\{[^}]*\}/gu;

/**
 * Reads what a diff compares: commits only. A folder or a content named by its id or as `revision:path` would come
 * without the path that tells whether it may be read.
 */
export function parseComparison(text: string): string {
  const revision = parseRevision(text);
  if (revision.replaceAll(BRACES, '').includes(':')) refuse('A diff compares commits; limit it with "path", and read one file with git_show.');
  return revision
    .split(/(\.{2,3})/u)
    .map((side, index) => {
      const { commit = '', range = '' } = SIDE.exec(side)?.groups ?? {};
      return index % 2 === 1 || commit === '' ? side : `${commit}^{commit}${range}`;
    })
    .join('');
}

/** Whether a revision is a range of two. */
function isRange(revision: string): boolean {
  return revision.includes('..');
}

/** Reads a revision that must be a single one. */
export function parseSingleRevision(text: string): string {
  const revision = parseRevision(text);
  if (isRange(revision)) refuse('One revision is needed here, not a range.');
  return revision;
}

/** Takes git's own `revision:path` apart; braces may hold a colon that is part of the revision. */
export function splitRevisionPath(text: string): { revision: string; path: string | undefined } {
  const match = /^(?<revision>[^:{]+(?:\{[^}]*\}[^:{]*)*):(?<path>[^:].*)$/su.exec(text);
  return { revision: match?.groups?.['revision'] ?? text, path: match?.groups?.['path'] };
}
