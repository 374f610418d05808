import { chmodSync, chownSync, lstatSync, lutimesSync, mkdirSync, type BigIntStats } from 'node:fs';
import { namesOf } from '../quarantine/take-away.ts';
import type { HiddenPlace } from '../sandbox/workspace-mounts.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import { bytePath, foldersAround, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { makeMasks, setExactTimes, type Mask } from './exact-attributes.ts';

const SECOND = 1_000_000_000n;
/** Nanoseconds between the times of two sockets; more than the rounding error of times in Node. */
const APART = 1_000n;

interface LayerParts {
  readonly layer: string;
  readonly confinement: Confinement;
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

/**
 * Creates the layer that hides places from a command. A file becomes a socket, which programs cannot open, but `rm` deletes,
 * `mv` moves and git skips. A folder is empty and closed. Unlike mounts, they do not prevent deleting the folder around them.
 * Each socket has a unique time that identifies it after a command has moved it.
 *
 * @returns false if this is not supported here; the places must then be hidden in another way
 */
export async function makeHiddenLayer(parts: LayerParts, places: readonly HiddenPlace[]): Promise<boolean> {
  try {
    if (await makeLayer(parts, places)) return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  await removeTree(parts.layer);
  return false;
}

async function makeLayer({ layer, confinement, attributes, signal }: LayerParts, places: readonly HiddenPlace[]): Promise<boolean> {
  using root = confinement.openDirectory([]);
  const folders = new Map<string, { readonly location: readonly Name[]; readonly stat: BigIntStats }>();
  const masks: Array<Mask & { readonly stat: BigIntStats }> = [];
  const hidden = new Set<string>();
  mkdirSync(layer, { mode: 0o700 });
  for (const { path, isFolder } of places.toSorted((one, other) => one.path.length - other.path.length)) {
    const location = namesOf(path);
    const above = foldersAround(location);
    if (hidden.has(path) || above.some((folder) => hidden.has(bytePath(folder)))) continue;
    const stat = statIn(root, location);
    // Deleted since it was found.
    if (stat === undefined) continue;
    if (!makeFolders(layer, root, above, folders)) return false;
    if (isFolder) mkdirSync(joinNames(layer, location), { mode: 0o700 });
    hidden.add(path);
    masks.push({ location, isFolder, stat });
  }
  using confined = new HandleConfinement(layer);
  using held = confined.openDirectory([]);
  if (!(await makeMasks(attributes, held, masks, signal))) return false;
  const times = new Set<bigint>();
  for (const [index, { location, isFolder, stat }] of masks.entries()) {
    const at = joinNames(layer, location);
    const seconds = secondsOf((stat.mtimeNs / SECOND) * SECOND + BigInt(index) * APART);
    if (isFolder) {
      chmodSync(at, 0);
      continue;
    }
    lutimesSync(at, seconds, seconds);
    // A time that is far in the future, or on a file system that rounds, may not be unique.
    const { mtimeNs } = lstatSync(at, { bigint: true });
    if (times.has(mtimeNs)) return false;
    times.add(mtimeNs);
  }
  // The view shows the attributes of the topmost layer. Deepest first, because a closed folder cannot be entered.
  const above = [...folders.values()].toReversed();
  await setExactTimes(
    attributes,
    held,
    above.map(({ location, stat }) => ({ location, times: stat })),
    signal,
  );
  for (const { location, stat } of above) {
    const at = joinNames(layer, location);
    const own = lstatSync(at);
    if (own.uid !== Number(stat.uid) || own.gid !== Number(stat.gid)) chownSync(at, Number(stat.uid), Number(stat.gid));
    chmodSync(at, Number(stat.mode) & 0o7777);
  }
  return true;
}

const statIn = (root: PinnedDirectory, location: readonly Name[]): BigIntStats | undefined =>
  lstatSync(joinNames(root.self, location), { bigint: true, throwIfNoEntry: false });

/** @returns false if one of them is not a folder in the workspace any more, but for example a link */
function makeFolders(
  layer: string,
  root: PinnedDirectory,
  above: ReadonlyArray<readonly Name[]>,
  folders: Map<string, { readonly location: readonly Name[]; readonly stat: BigIntStats }>,
): boolean {
  for (const location of above) {
    const key = bytePath(location);
    if (folders.has(key)) continue;
    const stat = statIn(root, location);
    if (stat?.isDirectory() !== true) return false;
    mkdirSync(joinNames(layer, location), { mode: 0o700 });
    folders.set(key, { location, stat });
  }
  return true;
}

/** The places that a layer hides. */
export class HiddenPlaces {
  readonly files = new Map<string, WorkspacePath>();
  readonly #folders = new Set<string>();
  readonly #byTime = new Map<bigint, WorkspacePath>();

  /** Reads a layer. */
  static async read(layer: string, signal: AbortSignal): Promise<HiddenPlaces> {
    const hidden = new HiddenPlaces();
    if (lstatSync(layer, { throwIfNoEntry: false }) === undefined) return hidden;
    using cursor = new TreeCursor(layer, { owned: true });
    const visit = (name: Name, stat: BigIntStats): void => {
      const location = [...cursor.location, name];
      hidden.#folders.delete(bytePath(cursor.location));
      if (stat.isDirectory()) hidden.#folders.add(bytePath(location));
      else hidden.#addFile(location, stat);
    };
    await visitTree(cursor, visit, signal);
    return hidden;
  }

  /** The kind of the hidden place at a path; undefined if it is not hidden. */
  kindOf(location: readonly Name[]): 'file' | 'folder' | undefined {
    const key = bytePath(location);
    return this.files.has(key) ? 'file' : this.#folders.has(key) ? 'folder' : undefined;
  }

  /** The hidden file that a socket represents, wherever the socket is now. */
  behind(stat: BigIntStats): WorkspacePath | undefined {
    return stat.isSocket() ? this.#byTime.get(stat.mtimeNs) : undefined;
  }

  #addFile(location: WorkspacePath, stat: BigIntStats): void {
    this.files.set(bytePath(location), location);
    this.#byTime.set(stat.mtimeNs, location);
  }
}
