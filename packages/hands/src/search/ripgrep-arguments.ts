import { lineExpression, type SearchPattern } from './search-pattern.ts';

/** How the case of letters counts; `smart` ignores it where the pattern has no capital. */
export const CASES = ['sensitive', 'insensitive', 'smart'] as const;
export type Case = (typeof CASES)[number];

/** Which files ripgrep is to look at. */
export interface WalkRequest {
  /** The place, relative to the working directory. */
  readonly place: string;
  /** Only the entries of this folder itself. */
  readonly shallow: boolean;
  readonly hidden: boolean;
  /** Whether .gitignore files count. */
  readonly ignore: boolean;
  /** Globs of file names; none means all files. */
  readonly names: readonly string[];
  /** Globs of names of files and folders that are left out. */
  readonly excludedNames: readonly string[];
}

/** What ripgrep is to look for. */
export interface MatchRequest extends SearchPattern {
  readonly case: Case;
  /** Lines of one file after which ripgrep goes on to the next. */
  readonly perFile: number;
  /** Files over this many bytes are passed over; undefined for a file that was named. */
  readonly maxFileBytes: number | undefined;
}

const CASE_FLAG = { sensitive: '--case-sensitive', insensitive: '--ignore-case', smart: '--smart-case' } as const satisfies Record<Case, string>;

/** Compiled expressions over this are refused at once; `(?:a{1000}){1000}` took more than 15 s without. */
const REGEX_SIZE = '10M';

function walkArguments(walk: WalkRequest): string[] {
  return [
    // A configuration file could turn on preprocessors, links and other sorting.
    '--no-config',
    '--no-messages',
    // What is ignored is the same for everybody: the user's git settings do not count, nor whether .git is there.
    '--no-ignore-global',
    // What git does not know either. Asking each folder for .ignore and .rgignore takes a tenth of the time.
    '--no-ignore-dot',
    '--no-require-git',
    '--no-follow',
    ...(walk.hidden ? ['--hidden'] : []),
    ...(walk.ignore ? [] : ['--no-ignore']),
    ...(walk.shallow ? ['--max-depth=1'] : []),
    // Not --glob: a glob that includes would bring back ignored and hidden files. A type does not.
    ...walk.names.map((name) => `--type-add=wanted:${name}`),
    ...(walk.names.length > 0 ? ['--type=wanted'] : []),
    ...walk.excludedNames.map((name) => `--glob=!${name}`),
    // Its name is hidden: it can only come up where hidden names are wanted.
    ...(walk.hidden ? ['--iglob=!.git'] : []),
  ];
}

/** Arguments of a search for text. The pattern and the place are bound to `-e` and `--`, so neither can be an option. */
export function textArguments(walk: WalkRequest, match: MatchRequest): string[] {
  return [
    ...walkArguments(walk),
    '--json',
    CASE_FLAG[match.case],
    `--regex-size-limit=${REGEX_SIZE}`,
    `--dfa-size-limit=${REGEX_SIZE}`,
    `--max-count=${match.perFile}`,
    ...(match.maxFileBytes === undefined ? [] : [`--max-filesize=${match.maxFileBytes}`]),
    '-e',
    lineExpression(match),
    '--',
    walk.place,
  ];
}

/** Arguments of a listing of files, each name ended by a NUL. */
export function filesArguments(walk: WalkRequest): string[] {
  return [...walkArguments(walk), '--files', '--null', '--', walk.place];
}
