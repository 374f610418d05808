import { fetchWords } from '../meaning/fetch-words.ts';
import type { Exec } from '../policy/effects.ts';

/** A git command, and the folder that its options name. */
export interface GitCommand {
  readonly subcommand: string;
  readonly words: ReadonlyArray<string | undefined>;
  readonly folder: string | undefined;
}

/** Reads a git command; undefined if its options change what git reads, other than the folder, or if words are added when it runs. */
export function gitCommand({ name, words, altered, splits, appended }: Exec): GitCommand | undefined {
  if (name !== 'git' || altered || splits || appended) return undefined;
  let folder: string | undefined;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return undefined;
    if (word === '-C' && folder === undefined) {
      at += 1;
      folder = words[at];
      if (folder === undefined || folder === '') return undefined;
    } else if (!word.startsWith('-')) return { subcommand: word, words: words.slice(at + 1), folder };
    else if (word !== '--no-pager' && word !== '-P') return undefined;
  }
  return undefined;
}

/** What a command leaves as it is for git commands after it: all, all but commits, or also not the branch and what it follows. */
export type Leaves = 'all' | 'branch' | 'remotes';

/** Subcommands that change commits and files, and those that may also change the branch, or which remote it follows. None changes a remote. */
const LEAVES: Readonly<Record<string, Leaves>> = {
  ...Object.fromEntries(
    'add stage commit tag rm mv restore reset stash merge cherry-pick revert am apply'.split(' ').map((name) => [name, 'branch']),
  ),
  ...Object.fromEntries('switch checkout rebase branch push fetch pull'.split(' ').map((name) => [name, 'remotes'])),
};
/** Programs that change nothing that git reads. */
const HARMLESS: ReadonlySet<string> = new Set(['cd', 'mkdir', 'sleep', 'true']);

/** What a command leaves as it is for the git commands after it; undefined if it may change settings and remotes. */
export function leaves(exec: Exec): Leaves | undefined {
  if (exec.doubts.length > 0 || exec.altered || exec.appended) return undefined;
  if (exec.onlyReads || HARMLESS.has(exec.name ?? '')) return 'all';
  const command = gitCommand(exec);
  if (command === undefined) return undefined;
  const left = Object.hasOwn(LEAVES, command.subcommand) ? LEAVES[command.subcommand] : undefined;
  // Without the options that are not known, such as `--set-upstream`, a fetch changes no setting.
  return left === 'remotes' && fetchWords(command.subcommand, command.words) !== undefined ? 'branch' : left;
}
