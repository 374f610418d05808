import { count } from '../text/amounts.ts';
import { shownName, shownText } from './quoted.ts';
import type { NewCommit, ReferenceChange } from './repository-change.ts';

const HASH = /^[\da-f]{40,64}$/u;
const BRANCH = 'refs/heads/';
/** Maximum number of sentences about references. Those of one push or fetch can be thousands, and all are listed below. */
export const MAX_SENTENCES = 8;
const SHORT = 7;

/** The reference that another one or a head leads to. */
const targetOf = (value: string | undefined): string | undefined => /^ref: (?<name>.+)$/u.exec(value ?? '')?.groups?.['name']?.trim();

/** Where a reference is. */
function place(value: string | undefined): string {
  if (value !== undefined && HASH.test(value)) return value.slice(0, SHORT);
  const target = targetOf(value);
  return target === undefined ? 'an unknown commit' : `branch ${shownName(target.replace(BRANCH, ''))}`;
}

/** What there is to know about one reference, for {@link KINDS}. */
interface Moved extends ReferenceChange {
  /** The name without the beginning that tells its kind, as it is shown. */
  readonly short: string;
}

const message = ([newest]: readonly NewCommit[]): string => (newest === undefined ? '' : `: ${shownText(newest.subject)}`);

/** `3 files`, as far as it is known. */
const ofFiles = ({ files }: Moved): string => (files === undefined ? '' : ` ${count(files, 'file')}`);

function ofCommits({ commits, hasMore }: Moved): string {
  if (commits.length === 1 && !hasMore) return message(commits);
  return ` in ${hasMore ? 'more than ' : ''}${count(commits.length, 'new commit')}, the newest${message(commits)}`;
}

/** What commits on a branch mean: added to it, merged into it, or in place of others. */
function branchMoves(moved: Moved): string {
  const { short, before = '', after, commits, follows } = moved;
  const [newest] = commits;
  if (newest === undefined) return `moves branch ${short} from ${place(before)} to ${place(after)}`;
  if (newest.parents.length > 1 && newest.parents[0] === before) return `merges into branch ${short}${message(commits)}`;
  if (follows === false) return `rewrites branch ${short}, which was at ${place(before)}${ofCommits(moved)}`;
  if (follows === undefined) return `moves branch ${short} from ${place(before)} to ${place(after)}${ofCommits(moved)}`;
  return `commits${ofFiles(moved)} to branch ${short}${ofCommits(moved)}`;
}

/** The beginning of a name and what a reference with it means when it is new, moved or deleted. */
interface Kind {
  readonly prefix: string;
  readonly made: (moved: Moved) => string;
  readonly moves: (moved: Moved) => string;
  readonly gone: (moved: Moved) => string;
}

const kindOf = (prefix: string, noun: string): Kind => ({
  prefix,
  made: ({ short, after }) => `creates ${noun}${short} at ${place(after)}`,
  moves: ({ short, before, after }) => `moves ${noun}${short} from ${place(before)} to ${place(after)}`,
  gone: ({ short, before }) => `deletes ${noun}${short}, which was at ${place(before)}`,
});

/** What changes of references mean. The first row that fits counts. */
const KINDS: readonly Kind[] = [
  {
    prefix: 'refs/stash',
    made: ({ commits }) => `stashes changes${message(commits)}`,
    moves: ({ commits }) => (commits.length === 0 ? 'drops stashed changes' : `stashes changes${message(commits)}`),
    gone: () => 'drops the last stashed changes',
  },
  {
    prefix: BRANCH,
    made: (moved) =>
      moved.commits.length === 0
        ? `creates branch ${moved.short}`
        : `creates branch ${moved.short} with${ofFiles(moved)}${ofCommits(moved).replace(/^ in/u, '')}`,
    moves: branchMoves,
    gone: ({ short, before }) => `deletes branch ${short}, which was at ${place(before)}`,
  },
  kindOf('refs/tags/', 'tag '),
  kindOf('refs/remotes/', 'remote branch '),
  kindOf('refs/', 'reference '),
];

/** Where HEAD goes. With a branch that is new, it is one sentence. */
function headSentence({ after, before, commits }: ReferenceChange, made: ReadonlySet<string>): string | undefined {
  if (after === undefined) return `removes HEAD, which was at ${place(before)}`;
  const target = targetOf(after);
  if (target === undefined && before !== undefined && commits.length > 0) return `commits on no branch, from ${place(before)}${message(commits)}`;
  if (target === undefined) return `checks out ${place(after)}, on no branch`;
  return made.has(target) ? undefined : `switches to ${place(after)}${before === undefined ? '' : ` from ${place(before)}`}`;
}

/** The name of another worktree of the repository whose head this is. */
const worktreeOf = ({ name }: ReferenceChange): string | undefined => /^worktrees\/(?<worktree>.+)\/HEAD$/su.exec(name)?.groups?.['worktree'];

/** What happens to the head of another worktree. The workspace stays where it is. */
function worktreeSentence(change: ReferenceChange, worktree: string): string {
  const { before, after } = change;
  if (before === undefined) return `adds worktree ${shownName(worktree)} at ${place(after)}`;
  if (after === undefined) return `removes worktree ${shownName(worktree)}, which was at ${place(before)}`;
  return `in worktree ${shownName(worktree)}: ${headSentence(change, new Set()) ?? ''}`;
}

function sentence(change: ReferenceChange, heads: ReadonlySet<string>): string {
  const { name, before, after } = change;
  const kind = KINDS.find(({ prefix }) => name.startsWith(prefix)) ?? kindOf('', 'reference ');
  const moved: Moved = { ...change, short: shownName(name.slice(kind.prefix.length)) };
  if (after === undefined) return kind.gone(moved);
  if (before !== undefined) return kind.moves(moved);
  return `${kind.made(moved)}${heads.has(name) ? ' and switches to it' : ''}`;
}

/** Returns what changes of repositories mean, one sentence each. */
export function gitSentences(changes: readonly ReferenceChange[]): string[] {
  const sentences: string[] = [];
  for (const [folder, own] of Map.groupBy(changes, (change) => change.folder)) {
    const made = new Set(own.filter(({ before }) => before === undefined).map(({ name }) => name));
    const isHead = ({ name }: ReferenceChange): boolean => name === 'HEAD';
    const heads = own.filter(isHead);
    const targets = new Set(heads.flatMap(({ after }) => targetOf(after) ?? []));
    const found = [
      ...own.filter((change) => !isHead(change) && worktreeOf(change) === undefined).map((change) => sentence(change, targets)),
      ...heads.flatMap((change) => headSentence(change, made) ?? []),
      ...own.flatMap((change) => {
        const worktree = worktreeOf(change);
        return worktree === undefined ? [] : [worktreeSentence(change, worktree)];
      }),
    ];
    sentences.push(...found.map((one) => (folder === '' ? one : `in ${shownName(folder)}: ${one}`)));
  }
  const more = sentences.length - MAX_SENTENCES;
  return more <= 1 ? sentences : [...sentences.slice(0, MAX_SENTENCES), `and ${count(more, 'more change')} of branches and tags`];
}
