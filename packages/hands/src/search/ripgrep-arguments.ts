import { SynapseError } from '@synapse/protocol';

/** What to search for in each line. */
interface SearchPattern {
  readonly pattern: string;
  /** Whether the pattern is plain text and not a regular expression. */
  readonly literal: boolean;
}

const META = /[\\.+*?()|[\]{}^$#&\-~]/gu;
/** Verbose mode. It makes `#` a comment up to the end of the pattern, which would swallow appended text. */
const VERBOSE = /\(\?[a-zA-Z-]*x/u;

/** Returns the end of the class that begins at `start`. Classes nest, and a leading `]` is a literal character. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at += 1;
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') {
    if (pattern[at] === '\\') at += 2;
    else if (pattern[at] === '[') at = classEnd(pattern, at) + 1;
    else at += 1;
  }
  return at;
}

/** Checks the groups of a regular expression: all closed, one left open, or one closed before it is opened. */
export function groupsOf(pattern: string): 'closed' | 'open' | 'crossed' {
  let depth = 0;
  let at = 0;
  while (at < pattern.length) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '[') at = classEnd(pattern, at);
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0) return 'crossed';
    at += 1;
  }
  return depth === 0 && at === pattern.length ? 'closed' : 'open';
}

/**
 * Builds the regular expression for ripgrep. `(?R)` lets `$` match before CRLF. The rest of the line is
 * matched along with the first match: ripgrep keeps every match of a line in memory, and a 50 MB line
 * in which each letter matches would take gigabytes. This does not change which lines match, or where. It is
 * written without a character as such, such as `\n`: with one, `smart` would ignore case for `\p{Lu}` too.
 */
export function lineExpression({ pattern, literal }: SearchPattern): string {
  if (!literal) {
    const groups = VERBOSE.test(pattern) ? 'open' : groupsOf(pattern);
    if (groups === 'crossed') {
      // ripgrep wraps patterns in a group, and would read `a)(b` as two.
      throw new SynapseError('invalid_arguments', 'The pattern is not a valid regular expression: a group is closed that was not opened.', {
        hint: 'Write \\) for a bracket as such, or pass "literal": true to search for the pattern as plain text.',
      });
    }
    // ripgrep gets a malformed pattern unchanged and explains the error.
    if (groups === 'open') return pattern;
  }
  const expression = literal ? pattern.replace(META, String.raw`\$&`) : pattern;
  return String.raw`(?R:${expression})(?-Rsu:.*)`;
}

/** Case sensitivity; `smart` ignores case if the pattern has no capital letter. */
export const CASES = ['sensitive', 'insensitive', 'smart'] as const;
export type Case = (typeof CASES)[number];

/** Which files ripgrep searches. */
export interface WalkRequest {
  /** The path, relative to the working directory. */
  readonly place: string;
  /** Whether to search only the direct entries of the folder. */
  readonly shallow: boolean;
  readonly hidden: boolean;
  /** Which ignore files ripgrep reads, as {@link IgnoreRules} says. */
  readonly ignore: readonly string[];
  /** Globs of file names; empty for all files. */
  readonly names: readonly string[];
  /** Globs of the names of files and folders to skip. */
  readonly excludedNames: readonly string[];
}

/** What ripgrep searches for. */
export interface MatchRequest extends SearchPattern {
  readonly case: Case;
  /** Maximum number of matching lines in one file. */
  readonly perFile: number;
  /** Maximum file size in bytes; undefined for a file that was named. */
  readonly maxFileBytes: number | undefined;
}

const CASE_FLAG = { sensitive: '--case-sensitive', insensitive: '--ignore-case', smart: '--smart-case' } as const satisfies Record<Case, string>;

/** Size limit of a compiled expression. Without it, `(?:a{1000}){1000}` took more than 15 s. */
const REGEX_SIZE = '10M';

function walkArguments(walk: WalkRequest): string[] {
  return [
    // A configuration file could enable preprocessors, links and other sorting.
    '--no-config',
    '--no-messages',
    // The same files are ignored for every user: neither the user's git settings nor the presence of .git matter.
    '--no-ignore-global',
    // git does not know these files either. Skipping .ignore and .rgignore in each folder saves a tenth of the time.
    '--no-ignore-dot',
    '--no-require-git',
    '--no-follow',
    ...(walk.hidden ? ['--hidden'] : []),
    ...walk.ignore,
    ...(walk.shallow ? ['--max-depth=1'] : []),
    // Not --glob: an including glob would bring back ignored and hidden files. A type does not.
    ...walk.names.map((name) => `--type-add=wanted:${name}`),
    ...(walk.names.length > 0 ? ['--type=wanted'] : []),
    ...walk.excludedNames.map((name) => `--glob=!${name}`),
    // .git is hidden, so it only needs to be excluded if hidden names are searched.
    ...(walk.hidden ? ['--iglob=!.git'] : []),
  ];
}

/** Returns the arguments of a text search. The pattern and the path follow `-e` and `--`, so neither can be an option. */
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

/** Keeps ripgrep from opening any ignore file on its own. */
export const NO_IGNORE_FILES: readonly string[] = ['--no-ignore'];
/** ripgrep reads the .gitignore files of the folders that it walks, and no others. */
export const OWN_IGNORE_FILES: readonly string[] = ['--no-ignore-exclude', '--no-ignore-parent'];

/** What keeps a listing of ignore files out of the data of repositories. */
export const PRUNED_RULES = '.git/*\n!.git/info\n';

/**
 * Returns the arguments that list the ignore files below a folder. Links are not listed.
 *
 * @param rules the option with the rules of what not to look through
 */
export function ignoreFilesArguments(rules: string): string[] {
  const globs = ['.gitignore', '**/.git/info/exclude'].map((glob) => `--glob=${glob}`);
  return ['--no-config', '--no-messages', '--no-ignore', '--no-follow', '--hidden', ...globs, rules, '--files', '--null', '--', './'];
}

/** Returns the arguments of a file listing with NUL-terminated names. */
export function filesArguments(walk: WalkRequest): string[] {
  return [...walkArguments(walk), '--files', '--null', '--', walk.place];
}
