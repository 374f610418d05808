import { SynapseError, type ErrorCode } from '@synapse/protocol';

/** The subject of a git run, for its error. */
export interface Subject {
  /** The requested revision, if any. */
  readonly revision?: string | undefined;
  /** The requested path, as the model knows it. */
  readonly path?: string | undefined;
}

interface Meaning {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly message: (subject: Required<Subject>, match: RegExpExecArray) => string;
  readonly hint?: string;
  /** Details for the tool that called git. */
  readonly details?: (match: RegExpExecArray) => Record<string, unknown>;
}

/** `details.reason` of the error for a branch without a commit. */
export const NO_COMMITS = 'no_commits';

/** The name for a revision that was not given. */
const UNNAMED = 'that revision';
const REVISION_HINT = 'Use git_log to see commits; HEAD~1, a branch, a tag or a commit id are valid. A new repository has no HEAD yet.';

/**
 * Errors for git's messages. The messages are matched and never repeated: they contain paths, and lines of
 * any file that a hostile repository made git read.
 */
const MEANINGS: readonly Meaning[] = [
  {
    pattern: /has only (\d+) lines?/u,
    code: 'invalid_arguments',
    message: ({ path }, [, lines]) => `${path} has only ${lines} lines there.`,
    hint: 'Give a smaller offset.',
    details: ([, lines]) => ({ lines: Number(lines) }),
  },
  {
    pattern: /no merge base/iu,
    code: 'not_found',
    message: ({ revision }) => `${revision} joins two histories that have nothing in common.`,
    hint: 'Use A..B, which compares them as they are.',
  },
  {
    pattern: /does not have any commits yet|no such ref: HEAD/u,
    code: 'not_found',
    details: () => ({ reason: NO_COMMITS }),
    message: () => 'No commits yet.',
    hint: 'git_status and git_diff with "staged": true show what is prepared.',
  },
  {
    pattern: /no such path|does not exist in|exists on disk, but not in/u,
    code: 'not_found',
    message: ({ path, revision }) => `File not found in ${revision}: ${path}`,
    hint: 'Use git_log with "files": true to see where it was moved or deleted.',
  },
  {
    pattern: /shallow|promisor|unable to read [0-9a-f]{40}|missing blob|[Cc]annot read blob|bad file$|could not fetch|bad tree object/mu,
    code: 'unavailable',
    message: () => 'This clone lacks contents that are needed: it is shallow, partial or damaged.',
    hint: 'A person can complete it with git fetch --unshallow or git fetch --refetch.',
  },
  {
    // HEAD itself names a missing commit, so no wrong name was given.
    pattern: /bad object HEAD$/mu,
    code: 'tool_failed',
    message: () => 'The newest commit of this repository is missing or damaged.',
    hint: 'A person can look with git fsck.',
  },
  {
    pattern:
      /unknown revision|bad revision|bad object|[Nn]ot a valid object name|Needed a single revision|invalid upstream|no upstream configured|expected commit type|is a blob, not a commit|upstream branch .* not stored/u,
    code: 'not_found',
    message: ({ revision }) => (revision === UNNAMED ? 'Revision not found.' : `Revision not found: ${revision}`),
    hint: REVISION_HINT,
  },
  {
    pattern: /index file (?:corrupt|smaller)|bad (?:index|signature)|unordered stage entries/u,
    code: 'tool_failed',
    message: () => 'The index of this repository is damaged.',
    hint: 'git_log and git_show still work; a person can rebuild it with git reset.',
  },
  {
    pattern: /[Oo]ut of memory|malloc failed|mmap failed/u,
    code: 'too_large',
    message: () => 'A file that git reads whole, such as a .gitignore or .gitattributes of a folder, is too large.',
    hint: 'Find it with: find . ( -name ".git*" -o -name .mailmap ) -size +1M',
  },
  {
    pattern: /unknown repository extension|[Ee]xpected git repo version|unknown object format|unknown ref storage/mu,
    code: 'unavailable',
    message: () => 'The repository has a format that the git of this machine does not know.',
    hint: 'A newer git is needed.',
  },
  {
    pattern: /bad config|unable to (?:access|read) .*config|invalid refspec/u,
    code: 'tool_failed',
    message: () => 'The settings of this repository (or of the user) cannot be read by git.',
    hint: 'Look at .git/config with read_file.',
  },
  {
    pattern: /not a git repository/u,
    code: 'not_a_repository',
    message: () => 'git does not take this folder for a repository: parts of its .git are missing.',
  },
  {
    pattern: /invalid object name|loose object .* is corrupt|packed object .* is corrupt|object file .* is empty|inflate: data stream error/u,
    code: 'tool_failed',
    message: () => 'An object of this repository is missing or damaged.',
    hint: 'A person can look with git fsck.',
  },
];

/** Converts a failed run of git to a coded error. */
export function gitError(stderr: string, exitCode: number | null, { revision = UNNAMED, path = 'such path' }: Subject): SynapseError {
  const cause = new Error(`git ended with ${exitCode}: ${stderr.slice(0, 2_000)}`);
  // This suffix was added to require a commit; it was not in the request.
  const asked = revision.replaceAll('^{commit}', '');
  for (const { pattern, code, message, hint, details } of MEANINGS) {
    const match = pattern.exec(stderr);
    if (match === null) continue;
    return new SynapseError(code, message({ revision: asked, path }, match), {
      cause,
      ...(hint === undefined ? {} : { hint }),
      ...(details === undefined ? {} : { details: details(match) }),
    });
  }
  return new SynapseError('tool_failed', `git could not do this (exit code ${exitCode ?? 'none'}).`, {
    hint: 'git_status tells whether the repository is in order.',
    cause,
  });
}
