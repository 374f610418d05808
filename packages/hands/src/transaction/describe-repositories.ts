import type { TreeView } from '../danger/tree-view.ts';
import { shownName } from '../meaning/quoted.ts';
import type { NewCommit, ReferenceChange } from '../meaning/repository-change.ts';
import { count } from '../text/amounts.ts';
import { follows, type LookupBudget, type MadeCommit } from './commit-order.ts';

/** Maximum length of a file with a reference, and of one with all packed references. */
const MAX_REF = 4_096;
const MAX_PACKED = 4 * 1024 * 1024;
/** Maximum number of listed references of a repository, and commits of a reference. */
const MAX_REFS = 200;
const MAX_COMMITS = 20;
/** Maximum number of commits to look up in a repository: a commit can name thousands of parents. */
const MAX_LOOKUPS = 10_000;
/** Maximum number of commits to look up to find out whether references move forward, in all repositories. */
const MAX_COMPARED = 2_000;
const SHORT = 7;
/** Maximum length of the text of a reference that is none. */
const MAX_SHOWN = 100;

/** What is needed to describe the changes of repositories. Paths have one character per byte (latin1). */
export interface RepositorySources {
  readonly before: TreeView;
  readonly after: TreeView;
  /** Returns a commit that the command made; undefined if it did not, or packed it. */
  readonly madeCommit: (repository: string, hash: string) => MadeCommit | undefined;
  /** Returns a commit that was there before; undefined if it is packed. */
  readonly oldCommit: (repository: string, hash: string) => MadeCommit | undefined;
}

const HASH = /^[\da-f]{40,64}$/u;
/** git reads no further than the hash, and takes capital letters too. */
const VALUE = /^(?<hash>[\da-f]{40}(?:[\da-f]{24})?)(?:\s|$)/iu;
const PACKED = /^(?<hash>[\da-f]{40,64}) (?<name>refs\/.+)$/u;
/** In place of the value of a reference that cannot be read, or may be packed where that cannot be read. */
const UNKNOWN = 'unknown';
const KINDS: readonly (readonly [prefix: string, kind: string])[] = [
  ['refs/heads/', 'branch '],
  ['refs/tags/', 'tag '],
  ['refs/remotes/', 'remote branch '],
  ['refs/', ''],
];

const latin = (text: string): string => Buffer.from(text, 'latin1').toString();

/** @param ref as it is shown */
function nameOfRef(ref: string): string {
  const [prefix, kind] = KINDS.find(([start]) => ref.startsWith(start)) ?? ['', ''];
  return `${kind}${shownName(ref.slice(prefix.length))}`;
}

/** Where a reference or a head is: at a commit, or at another reference. */
const placeOf = (text: string): string =>
  HASH.test(text) ? text.slice(0, SHORT) : text.startsWith('ref: ') ? nameOfRef(text.slice(5).trim()) : JSON.stringify(text.slice(0, MAX_SHOWN));

/** What git takes from the text of a reference or a head. */
function valueOf(text: string | undefined): string | undefined {
  return VALUE.exec(text ?? '')?.groups?.['hash']?.toLowerCase() ?? text?.trim();
}

/** The packed references; undefined if they are too many to read. */
function packedRefs(view: TreeView, repository: string): Map<string, string> | undefined {
  const path = `${repository}/packed-refs`;
  const text = view.readText(path, MAX_PACKED);
  if (text === undefined && view.type(path) !== undefined) return undefined;
  const lines = text?.split('\n') ?? [];
  const found = lines.map((line) => PACKED.exec(line)?.groups);
  return new Map(
    found.flatMap((groups) =>
      groups === undefined ? [] : [[Buffer.from(String(groups['name'])).toString('latin1'), String(groups['hash'])] as const],
    ),
  );
}

interface References {
  /** Values of packed references, by name; undefined if they are too many to read. */
  readonly packed: ReadonlyMap<string, string> | undefined;
  /** The value of any reference, by name. */
  readonly get: (name: string) => string | undefined;
}

function refsOf(view: TreeView, repository: string): References {
  const packed = packedRefs(view, repository);
  const get = (name: string): string | undefined => {
    const path = `${repository}/${name}`;
    const type = view.type(path);
    if (type === 'folder') return undefined;
    if (type !== undefined) return valueOf(view.readText(path, MAX_REF)) ?? UNKNOWN;
    return packed === undefined ? UNKNOWN : packed.get(name);
  };
  return { packed, get };
}

/** New commits, newest first. */
interface CommitList {
  readonly commits: readonly NewCommit[];
  /** The line about those that are not in the list. */
  readonly more: string | undefined;
}

/** The new commits that a reference leads to, newest first, without those that were listed before. */
function commitsOf(sources: RepositorySources, repository: string, hash: string, seen: Set<string>): CommitList {
  const commits: NewCommit[] = [];
  const queue = [hash];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    // Also what is no hash: it becomes part of a path.
    if (seen.has(next) || !HASH.test(next)) continue;
    if (seen.size >= MAX_LOOKUPS) return { commits, more: '  and commits that are not listed' };
    seen.add(next);
    const commit = sources.madeCommit(repository, next);
    if (commit === undefined) continue;
    if (commits.length === MAX_COMMITS) return { commits, more: '  and older commits' };
    commits.push({ ...commit, hash: next });
    queue.push(...commit.parents);
  }
  return { commits, more: undefined };
}

const NO_COMMITS: CommitList = { commits: [], more: undefined };
const commitLines = ({ commits, more }: CommitList): string[] => [
  ...commits.map(({ hash, subject }) => `  ${hash.slice(0, SHORT)} ${subject}`),
  ...(more === undefined ? [] : [more]),
];

function refLine(name: string, before: string | undefined, after: string | undefined): string {
  if (before === UNKNOWN || after === UNKNOWN)
    return `${name} ${after === UNKNOWN ? `changes; it was at ${placeOf(before ?? '')}` : `is at ${placeOf(after ?? '')}`}`;
  if (after === undefined) return `${name} is deleted; it was at ${placeOf(before ?? '')}`;
  return before === undefined ? `${name} is new, at ${placeOf(after)}` : `${name} moves from ${placeOf(before)} to ${placeOf(after)}`;
}

/** What happened to a repository, as lines and as facts. */
interface Described {
  readonly lines: readonly string[];
  readonly changes: readonly Omit<ReferenceChange, 'folder'>[];
}

/** The name of a linked worktree whose head a file is; undefined for the repository's own. */
const worktreeOf = (path: string): string | undefined => /^worktrees\/(?<name>[^/]+)\/HEAD$/u.exec(path)?.groups?.['name'];

function describeOne(repository: string, paths: readonly string[], sources: RepositorySources, budget: LookupBudget): Described {
  const [before, after] = [refsOf(sources.before, repository), refsOf(sources.after, repository)];
  const loose = paths.filter((path) => path.startsWith('refs/'));
  // Compared before any file is read: a repository can have thousands of packed references.
  const packed = [...(before.packed?.keys() ?? []), ...(after.packed?.keys() ?? [])];
  const repacked = packed.filter((name) => before.packed?.get(name) !== after.packed?.get(name));
  const isChanged = (name: string): boolean => before.get(name) !== after.get(name);
  // First those that there were, so that many new ones do not hide them.
  const { old = [], added = [] } = Object.groupBy([...new Set([...loose, ...repacked])].toSorted().filter(isChanged), (name) =>
    before.get(name) === undefined ? 'added' : 'old',
  );
  const moved = [...old, ...added];
  const seen = new Set<string>();
  const changes: Omit<ReferenceChange, 'folder'>[] = [];
  const add = (name: string, [old, now]: readonly [string | undefined, string | undefined], found: CommitList): string[] => {
    const isMoved = old !== undefined && now !== undefined && found.commits.length > 0;
    const made = (hash: string): MadeCommit | undefined => sources.madeCommit(repository, hash);
    const known = (hash: string): MadeCommit | undefined => made(hash) ?? sources.oldCommit(repository, hash);
    const isForward = isMoved ? follows(old, now, { made, known }, budget) : undefined;
    changes.push({ name, before: old, after: now, commits: found.commits, hasMore: found.more !== undefined, follows: isForward });
    return commitLines(found);
  };
  const lines = moved.slice(0, MAX_REFS).flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)];
    const found = now === undefined ? NO_COMMITS : commitsOf(sources, repository, now, seen);
    return [refLine(nameOfRef(latin(name)), old, now), ...add(latin(name), [old, now], found)];
  });
  if (paths.includes('packed-refs') && (before.packed === undefined || after.packed === undefined))
    lines.unshift('packed-refs changes and is too large to show. Branches and tags may be new, moved or deleted');
  if (moved.length > MAX_REFS) lines.push(`and ${count(moved.length - MAX_REFS, 'more branch or tag', 'more branches and tags')}`);
  const heads = paths.filter((path) => path === 'HEAD' || worktreeOf(path) !== undefined);
  const headLines = heads.flatMap((path) => {
    const [old, now] = [sources.before, sources.after].map((view) => valueOf(view.readText(`${repository}/${path}`, MAX_REF)));
    if (old === now) return [];
    const detached = now !== undefined && HASH.test(now) ? commitsOf(sources, repository, now, seen) : NO_COMMITS;
    const worktree = worktreeOf(path);
    const name = worktree === undefined ? 'HEAD' : `HEAD of worktree ${shownName(latin(worktree))}`;
    return [refLine(name, old, now), ...add(latin(path), [old, now], detached)];
  });
  return { lines: [...headLines, ...lines], changes };
}

/** What happened to the repositories of a workspace. */
export interface DescribedRepositories {
  /** One line each, commits indented below their reference. */
  readonly lines: readonly string[];
  readonly changes: readonly ReferenceChange[];
}

/**
 * Describes what happened to the commits, branches and tags of repositories, one line each. Taken from the objects and references
 * themselves, not from the logs, which a command can write as it likes.
 *
 * @param paths all changed entries
 */
export function describeRepositories(paths: readonly string[], sources: RepositorySources): DescribedRepositories {
  const below = Map.groupBy(
    paths.flatMap((path) => {
      const found = /^(?<repository>(?:.*?\/)?\.git)\/(?<rest>.+)$/su.exec(path)?.groups;
      return found === undefined ? [] : [{ repository: found['repository'] ?? '', rest: found['rest'] ?? '' }];
    }),
    ({ repository }) => repository,
  );
  const budget: LookupBudget = { left: MAX_COMPARED };
  const all = [...below].map(([repository, entries]) => {
    const path = latin(repository.slice(0, Math.max(0, repository.length - '/.git'.length)));
    const title = path === '' ? 'git' : `git in ${shownName(path)}`;
    const rest = entries.map((entry) => entry.rest);
    const { lines, changes } = describeOne(repository, rest, sources, budget);
    return {
      lines: lines.map((line) => (line.startsWith(' ') ? line : `${title}: ${line}`)),
      changes: changes.map((change) => ({ ...change, folder: path })),
    };
  });
  return { lines: all.flatMap(({ lines }) => lines), changes: all.flatMap(({ changes }) => changes) };
}
