import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemProgram } from '../launch/system-program.ts';
import { linkedWorktree, type LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';
import { plainValue, readSettings } from '../danger/git-settings.ts';

/**
 * The repository outside the workspace that commands may change; undefined if there is none. Entries are exchanged by renaming, so
 * all folders must be on one file system, and only perl can read which of its folders a command made anew.
 */
export function changeableRepository({ root, tier }: Confinement, stateFolder: string): LinkedWorktree | undefined {
  const linked = tier === 'handle' ? linkedWorktree(root) : undefined;
  if (linked === undefined || systemProgram('perl') === undefined) return undefined;
  // What they lead to would not be told from the rest: branches would move to commits that are withheld.
  if (IN_PLACE.some((place) => lstatSync(join(linked.repository, place), { throwIfNoEntry: false })?.isSymbolicLink() === true)) return undefined;
  // Its tables mix the head of the main worktree with what all share.
  if (existsSync(join(linked.repository, 'reftable'))) return undefined;
  const devices = new Set([root, linked.repository, stateFolder].map(deviceOf));
  return devices.size === 1 ? linked : undefined;
}

/** Where git keeps what commits change. */
const IN_PLACE = ['objects', 'refs', 'logs', 'packed-refs', 'worktrees'];

/** The file system of a folder, or of the one where it will be made. */
function deviceOf(path: string): number | undefined {
  for (let at = path; ; at = dirname(at)) {
    const stat = statSync(at, { throwIfNoEntry: false });
    if (stat !== undefined || at === dirname(at)) return stat?.dev;
  }
}

/** What all worktrees of a repository share, and git changes for each of them. */
const SHARED: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'packed-refs', 'config', 'shallow', 'rr-cache', 'lfs', 'gc.log', 'gc.pid']);

/** What is there, but is of the main worktree alone, or leads all of them elsewhere: relative paths would be judged from the wrong folder. */
const NOT_SHARED = /^(?:logs\/HEAD$|(?:logs\/)?refs\/(?:bisect|worktree|rewritten)(?:\/|$)|objects\/info\/(?:http-)?alternates$)/u;

/** Whether a change of a repository belongs to the worktree, and not to another or to all. */
export function isOfWorktree(location: WorkspacePath, { name }: Pick<LinkedWorktree, 'name'>): boolean {
  const [top, first = '', second, third] = location;
  if (top !== '.git') return true;
  // Without its folder or these, it is no worktree, and nothing could be undone.
  if (first === 'worktrees') return second === name && third !== undefined && third !== 'gitdir' && third !== 'commondir';
  if (NOT_SHARED.test(bytePath(location.slice(1)))) return false;
  return SHARED.has(String(first)) || (first === 'info' && second === 'refs');
}

/**
 * Also denies what belongs to other worktrees: with one of them as its workspace, a command does not change the others. Rules may name a place
 * of the repository as if it were in the worktree, or by its own path.
 */
export function ownOfWorktree<Guards extends Pick<PlaceGuards, 'denied'>>(guards: Guards, linked: LinkedWorktree): Guards {
  return {
    ...guards,
    denied(location, how) {
      if (!isOfWorktree(location, linked)) return 'it belongs to the repository outside, or to another of its worktrees';
      const denied = guards.denied(location, how);
      if (denied !== undefined || location[0] !== '.git') return denied;
      return guards.denied([...linked.repository.split('/'), ...location.slice(1)], how);
    },
  };
}

/** What `git gc` deletes. */
const isObject = ({ location: [top, first, second] }: PlannedEntry): boolean => top === '.git' && first === 'objects' && second !== undefined;

/**
 * Keeps objects that other worktrees need. A command does not see their folders, so git takes them for deleted, forgets what they
 * have checked out or staged, and deletes its objects. The former is withheld, so the latter must be too.
 */
function keepObjects(read: ReadChanges, linked: LinkedWorktree): ReadChanges {
  if (read.withheld.every(({ location }) => isOfWorktree(location, linked))) return read;
  const isLost = (change: PlannedEntry): boolean => change.now === undefined && isObject(change);
  if (read.changes.some((change) => isObject(change) && !change.isModeOnly && change.now !== undefined && change.before?.isDirectory() === true))
    return { ...read, unjudged: read.unjudged ?? 'it made folders with objects anew that other worktrees may need' };
  if (!read.changes.some(isLost)) return read;
  const objects = ['.git', 'objects'];
  const note = {
    path: objects.join('/'),
    location: objects,
    reason: 'denied',
    detail: 'other worktrees may need what was deleted',
    isThere: false,
  } as const;
  return { ...read, changes: read.changes.filter((change) => !isLost(change)), withheld: [...read.withheld, note] };
}

/**
 * Why a submodule that a command set up cannot be applied; undefined if it set up none. Its settings lead to its folder from the repository
 * outside, which looks like any other setting that leads elsewhere. Without them, the rest is no submodule that git can use.
 */
function halfSubmodule({ withheld }: ReadChanges, linked: LinkedWorktree): string | undefined {
  const folder = `.git/worktrees/${linked.name}/modules/`;
  const isHalf = withheld.some(({ location }) => bytePath(location).startsWith(folder));
  return isHalf ? 'it set up a submodule, and its settings in the repository outside cannot be judged' : undefined;
}

/**
 * Puts what a command changed in a repository outside where it would be if the repository were inside.
 *
 * @returns why it is not known what the command did; undefined if it is
 */
export function joinRepository(area: TransactionArea): string | undefined {
  const { upper } = area.repository;
  if (!existsSync(upper)) return undefined;
  // The command may have removed the user's own permissions.
  chmodSync(upper, 0o700);
  if (readdirSync(upper).length === 0) {
    rmdirSync(upper);
    return undefined;
  }
  const place = join(area.upper, '.git');
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return 'it changed the repository, and the file .git that leads to it';
  // After a crash, the repository may be gone.
  const lower = statSync(area.repository.lower, { throwIfNoEntry: false });
  renameSync(upper, place);
  // Not before: only a folder that its owner may write to can be moved to another folder.
  if (lower !== undefined) chmodSync(place, lower.mode & 0o7777);
  return undefined;
}

/**
 * Why changes of a repository cannot be applied to the one that the workspace has now; undefined if they can. Changes that waited may be of
 * another one: without this, the file `.git` of a worktree whose repository was moved would become a folder.
 */
function otherRepository(area: TransactionArea, linked: LinkedWorktree | undefined): string | undefined {
  const { lower } = area.repository;
  if (lstatSync(join(area.upper, '.git'), { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const then = lstatSync(lower, { throwIfNoEntry: false }) === undefined ? undefined : readlinkSync(lower);
  return then === linked?.repository ? undefined : 'the repository of the workspace is in another place than when it ran';
}

/** Settings of how git reads a repository. Another value makes git refuse all of its worktrees, or take them for none. */
const SHAPE: ReadonlySet<string> = new Set(['core.bare', 'core.repositoryformatversion', 'extensions.objectformat', 'extensions.refstorage']);
/** What says the same as no setting, and the version that `git sparse-checkout` needs. */
const USUAL = /^(?:core\.bare=(?:false|no|off|0|)|core\.repositoryformatversion=[01]|extensions\.(?:objectformat=sha1|refstorage=files))$/u;

/** A configuration of git is much smaller. */
const MAX_BYTES = 1_048_576n;

/** The unusual ones among these settings. */
function shapeOf(file: string): string[] {
  const { settings } = readSettings(readFileSync(file, 'utf8'));
  const shape = settings.flatMap(({ name, value }) => (SHAPE.has(name) ? [`${name}=${plainValue(value).toLowerCase()}`] : []));
  return shape.filter((setting) => !USUAL.test(setting));
}

/** Withholds settings of a repository outside that would keep its other worktrees from working. */
function keepSettings(read: ReadChanges, linked: LinkedWorktree, upper: string): ReadChanges {
  const location = ['.git', 'config'];
  const path = location.join('/');
  const change = read.changes.find((one) => one.location.join('/') === path);
  if (change?.now?.isFile() !== true) return read;
  const before = change.before?.isFile() === true && change.before.size <= MAX_BYTES ? shapeOf(join(linked.repository, 'config')) : [];
  const isLarge = change.now.size > MAX_BYTES;
  const added = isLarge ? 'what is too large to be read' : shapeOf(join(upper, path)).find((setting) => !before.includes(setting));
  if (added === undefined) return read;
  const note = { path, location, reason: 'denied', detail: `${added} would hold for all worktrees of the repository`, isThere: true } as const;
  return { ...read, changes: read.changes.filter((one) => one !== change), withheld: [...read.withheld, note] };
}

/** Judges what a command changed in a repository outside, once each entry is judged: nothing that other worktrees need is lost or changed for them. */
export function judgeRepository(read: ReadChanges, area: TransactionArea, linked: LinkedWorktree | undefined): ReadChanges {
  const unjudged = read.unjudged ?? otherRepository(area, linked);
  if (linked === undefined) return { ...read, unjudged };
  return keepObjects(keepSettings({ ...read, unjudged: unjudged ?? halfSubmodule(read, linked) }, linked, area.upper), linked);
}
