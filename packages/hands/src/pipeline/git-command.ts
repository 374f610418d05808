import { fetchWords } from '../meaning/fetch-words.ts';
import { pushWords } from '../meaning/push-words.ts';
import { isCertainAddress } from '../meaning/remote-addresses.ts';
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

/** Whether a command runs others in folders that only git knows. */
export const runsElsewhere = ({ name, words }: Exec): boolean => name === 'git' && words.includes('submodule') && words.includes('foreach');

/** What a command leaves as it is for git commands after it: all, all but commits, or also not the branch and what it follows. */
export type Leaves = 'all' | 'branch' | 'remotes';

const listed = (names: string): readonly string[] => names.split(' ');

/**
 * Subcommands that change commits and files, and those that may also change the branch, or which remote it follows. None changes a remote.
 * `mv` and `apply` are not among them: they can write into `.git`.
 */
const LEAVES: Readonly<Record<string, Leaves>> = {
  ...Object.fromEntries(listed('add stage commit tag rm restore reset stash merge cherry-pick revert am').map((name) => [name, 'branch'])),
  ...Object.fromEntries(listed('switch checkout rebase branch push fetch pull').map((name) => [name, 'remotes'])),
};
/** Programs that change nothing that git reads. */
const HARMLESS: ReadonlySet<string> = new Set(['cd', 'mkdir', 'sleep', 'true']);

/** Of a strategy with a name that git does not know, git runs `git-merge-NAME`. What was stopped goes on with the strategy it began with. */
const MAY_RUN = /^-(?:[a-z\d]*s|-(?:str|con|ski))/iu;
/** Subcommands for which these options mean that. */
const MERGING: ReadonlySet<string> = new Set(['merge', 'cherry-pick', 'revert', 'rebase', 'pull', 'am']);
/** Options of a rebase that run no other program and open no editor. */
const PLAIN_REBASE = /^(?:[^-].*|--(?:onto(?:=.*)?|root|keep-base|(?:no-)?autostash|(?:no-)?update-refs|abort|quit|quiet|verbose)|-[qv])$/u;

function mayRun({ subcommand, words }: GitCommand): boolean {
  if (!MERGING.has(subcommand)) return false;
  if (subcommand === 'rebase' && !words.every((word) => word !== undefined && PLAIN_REBASE.test(word))) return true;
  return words.some((word) => word === undefined || MAY_RUN.test(word));
}

/** The address or remote of a command that connects; undefined if its words are not certain. */
function connection({ subcommand, words }: GitCommand): { readonly repository: string | undefined } | undefined {
  return subcommand === 'push' ? pushWords(words) : fetchWords(subcommand, words);
}

const CONNECTING: ReadonlySet<string> = new Set(['push', 'fetch', 'pull']);

/** Whether an address may be one of a helper program. */
const mayBeHelper = (address: string | undefined): boolean => address?.includes(':') === true && !isCertainAddress(address);

/** What a command leaves as it is for the git commands after it; undefined if it may change settings and remotes. */
export function leaves(exec: Exec): Leaves | undefined {
  if (exec.doubts.length > 0 || exec.altered || exec.appended) return undefined;
  if (exec.onlyReads || HARMLESS.has(exec.name ?? '')) return 'all';
  const command = gitCommand(exec);
  if (command === undefined || mayRun(command)) return undefined;
  const left = Object.hasOwn(LEAVES, command.subcommand) ? LEAVES[command.subcommand] : undefined;
  if (!CONNECTING.has(command.subcommand)) return left;
  const connected = connection(command);
  // A helper program, or one that an option names, may change anything.
  if (connected === undefined || mayBeHelper(connected.repository)) return undefined;
  // Without the options that are not known, such as `--set-upstream`, a fetch changes no setting.
  return command.subcommand === 'push' ? left : 'branch';
}
