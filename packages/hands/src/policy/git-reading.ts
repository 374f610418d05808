import type { KnownWord } from './command-pattern.ts';

/** Subcommands of git that only read, whatever follows. What follows may still name a file to write, which is an effect of its own. */
const READING = new Set(
  (
    'status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev merge-base for-each-ref show-ref ' +
    'show-branch diff-tree diff-index diff-files range-diff cherry whatchanged count-objects check-ignore check-attr check-mailmap check-ref-format ' +
    'grep var version help verify-commit verify-tag patch-id fsck'
  ).split(' '),
);

/** Subcommands that read where this word follows; the empty one stands for nothing at all. */
const READING_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  stash: ['list', 'show'],
  worktree: ['list'],
  remote: ['', '-v', '--verbose', 'get-url'],
  reflog: ['', 'show', 'exists'],
  submodule: ['status', 'summary'],
  notes: ['', 'list', 'show'],
  bundle: ['verify', 'list-heads'],
  'sparse-checkout': ['list'],
  config: ['get', 'list', '--get', '--get-all', '--get-regexp', '--list', '-l'],
  bisect: ['log', 'view'],
};

/** `git branch` and `git tag` list by these options, and make a name where an operand comes without one of the `filters`. */
const LISTING = {
  options: [
    '-a',
    '-r',
    '-v',
    '-vv',
    '-i',
    '-n',
    '-q',
    '--all',
    '--remotes',
    '--verbose',
    '--show-current',
    '--ignore-case',
    '--column',
    '--no-column',
    '--color',
    '--no-color',
  ],
  valued: ['--sort', '--format', '--abbrev'],
  filters: ['-l', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'],
};

function onlyLists(rest: readonly KnownWord[]): boolean {
  const names = rest.map((word) => (word?.startsWith('--') === true ? (word.split('=', 1)[0] ?? '') : word));
  const filtered = names.some((name) => name !== undefined && LISTING.filters.includes(name));
  return names.every((name, index) => {
    if (name === undefined) return false;
    if (!name.startsWith('-')) return filtered || LISTING.valued.includes(names[index - 1] ?? '');
    return LISTING.options.includes(name) || LISTING.valued.includes(name) || LISTING.filters.includes(name) || /^-n\d+$/u.test(name);
  });
}

/**
 * Whether a git command only reads the repository.
 *
 * @param canonical the words without global options: `git status`
 */
export function gitOnlyReads(canonical: readonly KnownWord[]): boolean {
  const [, subcommand = '', ...rest] = canonical;
  if (READING.has(subcommand)) return true;
  if (subcommand === 'branch' || subcommand === 'tag') return onlyLists(rest);
  if (subcommand === 'symbolic-ref')
    return rest.filter((word) => word?.startsWith('-') !== true).length === 1 && !rest.some((word) => /^-[dm]|^--delete/u.test(word ?? ''));
  const actions = Object.hasOwn(READING_ACTIONS, subcommand) ? READING_ACTIONS[subcommand] : undefined;
  const [action = ''] = rest;
  return actions?.includes(action) === true;
}
