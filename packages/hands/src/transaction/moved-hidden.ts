import { chmodSync, closeSync, constants, copyFileSync, fstatSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { namesOf } from '../quarantine/take-away.ts';
import { displayPath, joinNames, type Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { sameContent } from './change-entry.ts';
import { setExactTimes } from './exact-attributes.ts';
import type { HiddenPlaces } from './hidden-layer.ts';
import type { TransactionArea } from './transaction-area.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Input of {@link takeAlongHidden}. */
export interface MovedHiddenParts {
  readonly area: Pick<TransactionArea, 'upper' | 'moved'>;
  readonly confinement: Confinement;
  readonly hidden: HiddenPlaces;
  readonly guards: Pick<PlaceGuards, 'denied' | 'moves' | 'read'>;
  /** Whether a folder of the upper layer hides the one in the workspace. */
  readonly isOpaque: (folder: readonly Name[]) => Promise<boolean>;
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

/** What became of hidden files that a command moved. */
export interface MovedHidden {
  /** The files that stay in place because their new name would reveal them, with that name. */
  readonly pinned: ReadonlyMap<string, WorkspacePath>;
  /** The new names of the files that moved along. The command did not write them. */
  readonly relocated: ReadonlySet<string>;
}

/**
 * Moves hidden files that a command moved without seeing them: the command deleted the hidden file and created another name
 * for the socket in its place. If the new name is hidden too, the file replaces the socket.
 */
export async function takeAlongHidden(parts: MovedHiddenParts): Promise<MovedHidden> {
  const { area, hidden, signal } = parts;
  const pinned = new Map<string, WorkspacePath>();
  const relocated = new Set<string>();
  const gone = await deletedFiles(parts);
  if (gone.length === 0) return { pinned, relocated };
  const found: Array<{ readonly to: WorkspacePath; readonly from: WorkspacePath }> = [];
  {
    using cursor = new TreeCursor(area.upper, { owned: true });
    await visitTree(
      cursor,
      (name, stat) => {
        const to = [...cursor.location, name];
        if (stat.isFile() && wasPutInPlace(parts, gone, to)) relocated.add(bytePath(to));
        if (!stat.isSocket()) return;
        const from = hidden.behind(stat) ?? byName(gone, to);
        if (from !== undefined && gone.includes(from)) found.push({ to, from });
      },
      signal,
    );
  }
  const moved = new Set<string>();
  for (const { to, from } of found) {
    if (isHiddenThere(parts, from, to) && (await putInPlace(parts, from, to))) {
      moved.add(bytePath(from));
      relocated.add(bytePath(to));
    } else pinned.set(bytePath(from), to);
  }
  for (const path of moved) pinned.delete(path);
  return { pinned, relocated };
}

/** The hidden files that no longer exist in the copy. */
async function deletedFiles({ area, hidden, isOpaque }: MovedHiddenParts): Promise<WorkspacePath[]> {
  const opaque = new Map<string, boolean>();
  const isReplaced = async (folder: readonly Name[]): Promise<boolean> => {
    const key = bytePath(folder);
    const known = opaque.get(key) ?? (await isOpaque(folder));
    opaque.set(key, known);
    return known;
  };
  const isGone = async (location: WorkspacePath): Promise<boolean> => {
    using cursor = new TreeCursor(area.upper, { owned: true });
    for (const [index, name] of location.entries()) {
      const stat = cursor.stat(name);
      if (stat === undefined) return false;
      if (index === location.length - 1) return hidden.behind(stat) !== location;
      if (!stat.isDirectory() || (await isReplaced(location.slice(0, index + 1)))) return true;
      cursor.enter(name);
    }
    return false;
  };
  const gone: WorkspacePath[] = [];
  for (const location of hidden.files.values()) if (await isGone(location)) gone.push(location);
  return gone;
}

/** Identifies a socket that was copied without its time by its path: the single deleted file with the longest common end. */
function byName(gone: readonly WorkspacePath[], to: WorkspacePath): WorkspacePath | undefined {
  const inCommon = (from: WorkspacePath): number => {
    let count = 0;
    while (count < Math.min(from.length, to.length) && bytePath([from.at(-1 - count) ?? '']) === bytePath([to.at(-1 - count) ?? ''])) count += 1;
    return count;
  };
  const [first, second] = gone
    .map((from) => ({ from, count: inCommon(from) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count);
  return first === undefined || first.count === second?.count ? undefined : first.from;
}

function isHiddenThere({ guards }: MovedHiddenParts, from: WorkspacePath, to: WorkspacePath): boolean {
  try {
    guards.moves(from, to)([]);
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return false;
  }
  // Otherwise the file would be withheld there, and gone here.
  if (guards.denied(to, 'delete') !== undefined) return false;
  try {
    guards.read(to);
    return false;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return true;
  }
}

/** Whether an earlier reading of the same changes put a hidden file here. The command could not know its content. */
function wasPutInPlace(parts: MovedHiddenParts, gone: readonly WorkspacePath[], to: WorkspacePath): boolean {
  const { area, confinement, guards } = parts;
  const from = guards.denied(to) === undefined ? undefined : byName(gone, to);
  if (from === undefined || !isHiddenThere(parts, from, to)) return false;
  using folder = confinement.openDirectory(from.slice(0, -1));
  const source = folder.at(from.at(-1) ?? '');
  return lstatSync(source, { throwIfNoEntry: false })?.isFile() === true && sameContent(joinNames(area.upper, to), source);
}

/** @returns false if the source is not a readable file */
async function putInPlace({ area, confinement, attributes, signal }: MovedHiddenParts, from: WorkspacePath, to: WorkspacePath): Promise<boolean> {
  using folder = confinement.openDirectory(from.slice(0, -1));
  using made = new HandleConfinement(area.upper);
  using target = made.openDirectory(to.slice(0, -1));
  const name = to.at(-1) ?? '';
  const source = openIfFile(folder.at(from.at(-1) ?? ''));
  if (source === undefined) return false;
  try {
    const stat = fstatSync(source, { bigint: true });
    if (!stat.isFile()) return false;
    const parent = lstatSync(target.self, { bigint: true });
    // Replaces the socket in one step. Otherwise, on a full disk the file would be deleted and its copy missing.
    rmSync(area.moved, { force: true });
    copyFileSync(`/proc/self/fd/${source}`, area.moved, CREATE);
    chmodSync(area.moved, Number(stat.mode) & 0o777);
    renameSync(area.moved, target.at(name));
    const timed = [
      { location: [name], times: stat },
      { location: [], times: parent },
    ];
    await setExactTimes(attributes, target, timed, signal);
    return true;
  } finally {
    closeSync(source);
    rmSync(area.moved, { force: true });
  }
}

function openIfFile(path: Parameters<typeof openSync>[0]): number | undefined {
  try {
    if (lstatSync(path).isFile()) return openSync(path, READ);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return undefined;
}

/** The first of these files that is at or below a path, safe to display. */
export function pinnedIn(
  pinned: ReadonlyMap<string, WorkspacePath>,
  location: WorkspacePath,
): { readonly path: string; readonly to: string } | undefined {
  const key = bytePath(location);
  const path = [...pinned.keys()].find((one) => one === key || one.startsWith(`${key}/`));
  return path === undefined ? undefined : { path: displayPath(namesOf(path)), to: displayPath(pinned.get(path) ?? []) };
}
