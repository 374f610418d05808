import type { KnownWord } from './command-pattern.ts';

/** What of a git subcommand cannot be taken back by git itself: options, and the words of a subcommand of its own. */
interface Loss {
  readonly says: string;
  /** Any of these makes it so; none means the subcommand itself does. A letter also counts in a group: `-fd`. */
  readonly options?: readonly string[];
  /** Operands of which one makes it so: `stash drop`. */
  readonly actions?: readonly string[];
  /** The beginning of an operand that makes it so: `push origin +main`. */
  readonly prefix?: string;
  /** It happens on another machine, where no undo reaches. */
  readonly elsewhere?: true;
}

const REWRITES = 'rewrites history';
const DROPS_REFS = 'drops branches or tags, and with them commits';
const DROPS_LOG = 'drops the reflog, by which lost commits are found';
const DROPS_OBJECTS = 'deletes commits that no branch names any more';
const DROPS_FILES = 'throws away changes that were not committed';
const FORCES = 'replaces what others see on the server';

const LOSSES: Readonly<Record<string, readonly Loss[]>> = {
  push: [
    { says: FORCES, options: ['-f', '--force', '--force-with-lease', '--mirror', '--delete', '-d', '--prune'], elsewhere: true },
    { says: FORCES, prefix: '+', elsewhere: true },
    { says: FORCES, prefix: ':', elsewhere: true },
  ],
  reset: [{ says: DROPS_FILES, options: ['--hard', '--merge', '--keep'] }],
  clean: [{ says: 'deletes files that git does not know', options: ['-f', '--force'] }],
  checkout: [
    { says: DROPS_FILES, options: ['-f', '--force', '--'] },
    { says: DROPS_FILES, actions: ['.'] },
    { says: DROPS_REFS, options: ['-B'] },
  ],
  switch: [
    { says: DROPS_FILES, options: ['-f', '--force', '--discard-changes'] },
    { says: DROPS_REFS, options: ['-C', '--force-create'] },
  ],
  restore: [{ says: DROPS_FILES }],
  branch: [{ says: DROPS_REFS, options: ['-D', '-d', '--delete', '-f', '--force', '-M', '-C'] }],
  tag: [{ says: DROPS_REFS, options: ['-d', '--delete', '-f', '--force'] }],
  'update-ref': [{ says: DROPS_REFS }],
  'symbolic-ref': [{ says: DROPS_REFS, options: ['-d', '--delete'] }],
  stash: [{ says: 'drops changes that were stashed', actions: ['drop', 'clear', 'pop'] }],
  reflog: [{ says: DROPS_LOG, actions: ['expire', 'delete', 'drop'] }],
  gc: [{ says: DROPS_OBJECTS, options: ['--prune', '--aggressive'] }],
  prune: [{ says: DROPS_OBJECTS }],
  repack: [{ says: DROPS_OBJECTS, options: ['-d', '-a', '-A'] }],
  'prune-packed': [{ says: DROPS_OBJECTS }],
  rebase: [{ says: REWRITES }],
  'filter-branch': [{ says: REWRITES }],
  'filter-repo': [{ says: REWRITES }],
  replace: [{ says: REWRITES }],
  commit: [{ says: REWRITES, options: ['--amend'] }],
  worktree: [{ says: DROPS_FILES, actions: ['remove', 'prune'] }],
  remote: [{ says: DROPS_REFS, actions: ['prune', 'remove', 'rm'] }],
  submodule: [{ says: DROPS_FILES, actions: ['deinit'] }],
};

function hasOption(words: readonly KnownWord[], option: string): boolean {
  return words.some((word) => {
    if (word === undefined || !word.startsWith('-')) return false;
    if (option.startsWith('--'))
      return option === '--' ? word === '--' : word.length > 3 && word.startsWith('--') && option.startsWith(word.split('=', 1)[0] ?? '');
    return !word.startsWith('--') && word.slice(1).includes(option.slice(1));
  });
}

function applies({ options, actions, prefix }: Loss, rest: readonly KnownWord[]): boolean {
  if (options === undefined && actions === undefined && prefix === undefined) return true;
  if (options?.some((option) => hasOption(rest, option)) === true) return true;
  const operands = rest.filter((word) => word?.startsWith('-') !== true);
  if (actions !== undefined) return operands.some((word) => word !== undefined && actions.includes(word));
  return prefix !== undefined && operands.some((word) => word?.startsWith(prefix) === true);
}

/**
 * What a git command takes away for good, as it goes on after "because it"; undefined for any other.
 *
 * @param canonical the words without global options: `git push --force`
 * @param covered whether an undo gives back what it changes in the workspace
 */
export function irreversibleGit(canonical: readonly KnownWord[], covered = false): string | undefined {
  const [, subcommand = '', ...rest] = canonical;
  const losses = Object.hasOwn(LOSSES, subcommand) ? LOSSES[subcommand] : undefined;
  return losses?.find((loss) => (loss.elsewhere === true || !covered) && applies(loss, rest))?.says;
}
