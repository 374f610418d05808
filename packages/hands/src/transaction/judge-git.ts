import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import type { LeftoverReason } from '../sandbox/command-sweep.ts';
import { foldName } from '../danger/fold-name.ts';
import { dangerousSettings } from '../danger/git-config.ts';
import type { GitSetting } from '../danger/git-settings.ts';
import type { Name } from '../workspace/byte-name.ts';
import type { TreeCursor } from '../workspace/tree-cursor.ts';

/** A text of more bytes is taken for dangerous and not read. */
const MAX_TEXT_BYTES = 1024 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Why an entry may not reach the workspace. */
export interface Danger {
  readonly reason: LeftoverReason;
  readonly detail: string;
}

/** Both sides of the folder that is looked at. */
export interface Sides {
  readonly upper: TreeCursor;
  /** Undefined in a folder that is new. */
  readonly lower: TreeCursor | undefined;
  /** The root's path. */
  readonly root: string;
}

/** Where an entry is in a folder that git takes for a repository. */
export interface GitPlace {
  /** Names below that folder; none for the folder itself. */
  readonly below: readonly string[];
  /** Why what makes a repository of this folder must not come. */
  readonly completes: Danger | undefined;
}

/** The text of a small regular file; undefined for anything else that is there, empty where nothing is. */
function textAt(cursor: TreeCursor | undefined, name: Name): string | undefined {
  const stat = cursor?.stat(name);
  if (cursor === undefined || stat === undefined) return '';
  if (!stat.isFile() || stat.size > MAX_TEXT_BYTES) return undefined;
  try {
    const fd = openSync(cursor.at(name), READ);
    try {
      return fstatSync(fd).isFile() ? readFileSync(fd, 'utf8') : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // What cannot be read cannot be found harmless.
    return undefined;
  }
}

/** The workspace's path of something that is named from the folder of the cursor; undefined where that is outside. */
function insideFrom({ upper, root }: Sides, target: string): string | undefined {
  const folder = upper.location.map((name) => (typeof name === 'string' ? name : name.toString('latin1'))).join('/');
  const path = posix.normalize(target.startsWith('/') ? target : `${root}/${folder}/${target}`);
  if (path === root) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1).replace(/\/$/u, '') : undefined;
}

type Judge = (sides: Sides, name: Name) => Danger | undefined;

const config: Judge = (sides, name) => {
  const [before, after] = [textAt(sides.lower, name), textAt(sides.upper, name)];
  if (after === undefined) return { reason: 'git-config', detail: 'unreadable' };
  // Where a submodule's files are: git writes there what it checks out.
  const isUsual = ({ name: key, value }: GitSetting): boolean =>
    key === 'core.worktree' && (insideFrom(sides, value.replaceAll('"', '')) ?? '') !== '';
  const found = dangerousSettings(after, before ?? '', isUsual);
  return found.length === 0 ? undefined : { reason: 'git-config', detail: found.join(', ') };
};

const commonFolder: Judge = ({ upper }, name) =>
  textAt(upper, name)?.trim() === '../..' ? undefined : { reason: 'git-pointer', detail: 'takes settings and hooks from another folder' };

const worktreeFolder: Judge = (sides, name) =>
  insideFrom(sides, textAt(sides.upper, name)?.trim() ?? '/') === undefined
    ? { reason: 'git-pointer', detail: 'leads git out of the workspace' }
    : undefined;

/** What is left of a rebase goes on with `git rebase --continue`, and that runs each such line. One that a person began stays. */
const steps: Judge = ({ upper, lower }, name) => {
  const lines = (cursor: TreeCursor | undefined): string[] | undefined =>
    textAt(cursor, name)
      ?.split('\n')
      .filter((line) => /^\s*(?:x|exec)\b/u.test(line));
  const [before, after] = [lines(lower) ?? [], lines(upper)];
  if (after?.every((line) => before.includes(line)) === true) return undefined;
  return { reason: 'git-hook', detail: 'git rebase --continue runs it' };
};

const alternates: Judge = ({ upper, lower }, name) => {
  const after = textAt(upper, name);
  return after === textAt(lower, name) || after === '' ? undefined : { reason: 'git-pointer', detail: 'takes objects from another folder' };
};

/** What git executes or is led by, by its place in a repository. */
const PLACES: Readonly<Record<string, Judge>> = {
  config,
  'config.worktree': config,
  commondir: commonFolder,
  gitdir: worktreeFolder,
  'objects/info/alternates': alternates,
  'objects/info/http-alternates': alternates,
  'rebase-merge/git-rebase-todo': steps,
};

const MARKS = new Set(['head', 'objects', 'refs', 'commondir']);
/** Where a folder holds none of these names, nothing in it is judged. */
const TELLING = new Set([...MARKS, 'hooks', 'config', 'config.worktree', 'rebase-merge', 'modules', 'worktrees', 'gitdir']);

function looksLikeRepository(has: (name: string) => boolean): boolean {
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

const isWhiteout = (cursor: TreeCursor, name: string): boolean => {
  const stat = cursor.stat(name);
  return stat?.isCharacterDevice() === true && stat.rdev === 0n;
};

/** What was there before and is no entry of the changes, but becomes an order to git by them. */
function dormantDanger(sides: Sides): Danger | undefined {
  const { upper, lower } = sides;
  if (lower === undefined) return undefined;
  const text = upper.stat('config') === undefined ? textAt(lower, 'config') : '';
  if (text === undefined || dangerousSettings(text).length > 0)
    return { reason: 'git-config', detail: 'makes a repository of what was there before' };
  if (upper.stat('hooks') === undefined && lower.stat('hooks') !== undefined)
    return { reason: 'git-hook', detail: 'makes a repository of what was there before' };
  return undefined;
}

/** What a folder is to git, once the cursors are in it. */
export function gitPlaceOf(sides: Sides, name: Name, above: GitPlace | undefined, names: readonly Name[]): GitPlace | undefined {
  const { upper, lower } = sides;
  const isNamed = foldName(name) === '.git';
  const below = above === undefined ? undefined : { below: [...above.below, name.toString()], completes: undefined };
  if (!isNamed && !names.some((one) => TELLING.has(one.toString().toLowerCase()))) return below;
  const before = (one: string): boolean => lower?.stat(one) !== undefined;
  const after = (one: string): boolean => (upper.stat(one) === undefined ? before(one) : !isWhiteout(upper, one));
  const isRepository = looksLikeRepository(after);
  if (!isNamed && !isRepository) return below;
  const isNew = isRepository && !looksLikeRepository(before);
  return { below: [], completes: isNew ? dormantDanger(sides) : undefined };
}

/** Leads from a file named `.git` that git itself writes: to the modules or worktrees of a repository of the workspace, which are judged like any other. */
function isUsualPointer(sides: Sides, name: Name): boolean {
  const target = /^gitdir: (?<path>.+)$/u.exec(textAt(sides.upper, name)?.trim() ?? '')?.groups?.['path'];
  const place = target === undefined ? undefined : insideFrom(sides, target);
  return place !== undefined && /(?:^|\/)\.git\/(?:modules|worktrees)\/./u.test(place);
}

/** Why a new or changed entry would make git run something, or lead it elsewhere. */
export function judgeGit(sides: Sides, name: Name, place: GitPlace | undefined): Danger | undefined {
  const { upper } = sides;
  const stat = upper.stat(name);
  if (stat === undefined) return undefined;
  if (foldName(name) === '.git' && !stat.isDirectory())
    return stat.isFile() && isUsualPointer(sides, name) ? undefined : { reason: 'git-pointer', detail: 'leads git to another folder' };
  if (place === undefined) return undefined;
  const below = [...place.below, name.toString()].map((one) => one.toLowerCase());
  const [first = '', second] = below;
  if (place.completes !== undefined && below.length === 1 && MARKS.has(first)) return place.completes;
  if (first === 'hooks') {
    if (second === undefined) return stat.isDirectory() ? undefined : { reason: 'git-hook', detail: 'stands in for the folder of hooks' };
    return second.endsWith('.sample') && stat.isFile() ? undefined : { reason: 'git-hook', detail: 'git runs it' };
  }
  const judge = PLACES[below.join('/')];
  if (judge !== undefined) return judge(sides, name);
  // A link would have git read or write what lies elsewhere; it makes none itself but HEAD and refs of old versions.
  return stat.isSymbolicLink() && leadsOut(sides, name) ? { reason: 'git-pointer', detail: 'leads git out of the workspace' } : undefined;
}

function leadsOut(sides: Sides, name: Name): boolean {
  return insideFrom(sides, readlinkSync(sides.upper.at(name), { encoding: 'latin1' })) === undefined;
}
