import { gitOnlyReads } from './git-reading.ts';
import type { Role } from './program.ts';

/** Options before the subcommand that take the next word. */
const GLOBAL_VALUES = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
  '--super-prefix',
  '--attr-source',
]);
/** Those of them, and of the others, that change nothing but the output. */
const GLOBAL_HARMLESS = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--no-replace-objects', '--version', '--help']);

/** Those that only lead to another repository. */
const GLOBAL_PLACES = new Set(['-C', '--git-dir', '--work-tree']);

/** Options of any subcommand that run a program, or load orders from a file. By beginning, as git reads them. */
const CODE_OPTIONS = [
  '--upload-pack',
  '--receive-pack',
  '--exec',
  '--ext-diff',
  '--textconv',
  '--open-files-in-pager',
  '--config',
  '--template',
  '--separate-git-dir',
  '--extcmd',
  '--tool',
];
/** Short ones, where the subcommand gives them that meaning. */
const CODE_LETTERS: Readonly<Record<string, string>> = { grep: 'O', rebase: 'x', clone: 'uc', 'ls-remote': 'u', difftool: 'x' };

/** Options with a value that names a file, in every subcommand. */
const FILE_OPTIONS: Readonly<Record<string, Role>> = {
  '--output': 'write',
  '--output-directory': 'writeTree',
  '--file': 'read',
  '--pathspec-from-file': 'read',
  '--exclude-from': 'read',
  '--index-filter': 'code',
  '--tree-filter': 'code',
  '--contents': 'read',
  '--ignore-revs-file': 'read',
};

/** Where the operands are files in a way of their own; elsewhere they are compared with what is denied. */
const OPERANDS: Readonly<Record<string, Role>> = {
  rm: 'deleteTree',
  mv: 'move',
  clean: 'deleteTree',
  apply: 'read',
  grep: 'readTree',
  init: 'writeTree',
  restore: 'write',
};

const NETWORK = new Set(['push', 'pull', 'fetch', 'clone', 'ls-remote', 'remote', 'submodule', 'send-email', 'archive']);
/** Free text, which may come out of a substitution: `git commit -m "$(…)"`. */
const MESSAGE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  commit: ['-m', '--message', '-am'],
  tag: ['-m', '--message'],
  merge: ['-m', '--message'],
  stash: ['-m', '--message'],
};

/** How the words of a git command are to be read. */
export interface GitReading {
  readonly subcommand: string;
  /** The words without what stands before the subcommand: what deny rules are compared with. */
  readonly canonical: ReadonlyArray<string | undefined>;
  readonly operands: Role | undefined;
  readonly options: Readonly<Record<string, Role>>;
  readonly messages: readonly string[];
  readonly network: boolean;
  /** Whether it only reads the repository, be that another one than where it stands. */
  readonly onlyReads: boolean;
  readonly reasons: readonly string[];
}

function codeOption(subcommand: string, word: string): boolean {
  if (word.startsWith('--')) {
    const name = word.split('=', 1)[0] ?? '';
    return CODE_OPTIONS.some((option) => option.startsWith(name));
  }
  const letters = Object.hasOwn(CODE_LETTERS, subcommand) ? CODE_LETTERS[subcommand] : undefined;
  return letters !== undefined && word.startsWith('-') && Array.from(word.slice(1)).some((letter) => letters.includes(letter));
}

/** Reads a git command: what its subcommand does with files, and what of it can run other programs. */
export function readGit(words: ReadonlyArray<string | undefined>): GitReading {
  const reasons: string[] = [];
  let plain = true;
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !word.startsWith('-')) break;
    const name = word.split('=', 1)[0] ?? '';
    if (!GLOBAL_HARMLESS.has(name)) reasons.push(`git ${name} changes what git runs or where`);
    plain &&= GLOBAL_HARMLESS.has(name) || GLOBAL_PLACES.has(name);
    if (GLOBAL_VALUES.has(word)) index += 1;
  }
  const subcommand = words[index] ?? '';
  const rest = words.slice(index + 1);
  for (const word of rest) {
    if (word === '--') break;
    if (word === undefined || !codeOption(subcommand, word)) continue;
    reasons.push(`git ${subcommand} ${word.split('=', 1)[0]} can run a program`);
    plain = false;
  }
  const canonical = ['git', ...words.slice(index)];
  // `git --version` has no subcommand.
  const asksForFacts = subcommand === '' && words.some((word) => word === '--version' || word === '--help');
  const onlyReads = plain && (asksForFacts || gitOnlyReads(canonical));
  return {
    subcommand,
    canonical,
    operands: Object.hasOwn(OPERANDS, subcommand) ? OPERANDS[subcommand] : undefined,
    options: subcommand === 'archive' || subcommand === 'format-patch' ? { ...FILE_OPTIONS, '-o': 'writeTree' } : FILE_OPTIONS,
    messages: Object.hasOwn(MESSAGE_OPTIONS, subcommand) ? (MESSAGE_OPTIONS[subcommand] ?? []) : [],
    network: NETWORK.has(subcommand) && !onlyReads,
    onlyReads,
    reasons,
  };
}
