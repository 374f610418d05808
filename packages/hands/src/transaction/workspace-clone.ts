import { chmodSync, lstatSync, mkdirSync, renameSync, rmdirSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { count, size as sizeText } from '../text/amounts.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { TreeCopy } from '../workspace/copy-tree.ts';
import { fileError, errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { removeEntry, removeTree } from '../workspace/remove-tree.ts';
import { addTo, TreeCursor, turns, visitTree, visitTreeSync, type TreeSize } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { changesOfClone, knownEntry, type CloneChange, type KnownEntry } from './clone-changes.ts';
import { makeMasks, makeWhiteouts, setExactTimes } from './exact-attributes.ts';
import { copyLayer } from './copy-layer.ts';
import type { TransactionArea } from './transaction-area.ts';

/** What a clone for one command may have: about a second to copy. More commands would run in the workspace than wait for it. */
const MOST = { entries: 10_000, bytes: 256 * 2 ** 20 };
const PERMISSIONS = 0o7777;

interface CloneParts {
  readonly area: TransactionArea;
  readonly root: string;
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

/** Why a command cannot get a clone of a workspace; undefined if it can. */
export async function cloneProblem(root: string, signal: AbortSignal): Promise<string | undefined> {
  const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
  using cursor = new TreeCursor(root, { owned: false });
  const isTooMuch = (): boolean => size.entries > MOST.entries || size.bytes > MOST.bytes;
  await visitTree(cursor, (_, stat) => addTo(size, stat), signal, isTooMuch);
  if (!isTooMuch()) return undefined;
  return `without namespaces a copy is made file by file, of up to ${count(MOST.entries, 'entry', 'entries')} and ${sizeText(MOST.bytes)}`;
}

/** A copy of the workspace in a folder of its own, for a command without namespaces. */
export class WorkspaceClone {
  readonly #parts: CloneParts;
  /** What it had when the command started, by the keys of `bytePath`. */
  readonly #known = new Map<string, KnownEntry>();

  private constructor(parts: CloneParts) {
    this.#parts = parts;
  }

  /**
   * Copies the workspace, with the build output of earlier commands.
   *
   * @throws SynapseError `unavailable` if it is too large, or if something in it cannot be read
   */
  static async make(parts: CloneParts): Promise<WorkspaceClone> {
    const { area, root, attributes, signal } = parts;
    try {
      const problem = await cloneProblem(root, signal);
      if (problem !== undefined) throw notCloned(problem);
      // `TreeCopy` makes the folder.
      rmdirSync(area.merged);
      const links = join(area.path, 'links');
      const copy = new TreeCopy(links, signal, { owned: false });
      await copy.copy({ folder: dirname(root), name: basename(root) }, { folder: area.path, name: basename(area.merged) });
      await copyLayer({ from: area.outputs, to: area.merged, copy: new TreeCopy(links, signal), attributes, signal });
      await removeTree(links);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      throw notCloned(fileError(error, root).message.replace(/\.$/u, ''));
    }
    return new WorkspaceClone(parts);
  }

  /** Puts masks in the places that the layer of hidden places has, and removes what lies at the others. Then the command may start. */
  async hide(places: ReadonlyArray<readonly Name[]>): Promise<void> {
    const { area, attributes, signal } = this.#parts;
    using clone = new HandleConfinement(area.merged);
    using root = clone.openDirectory([]);
    const masks: Array<{ readonly location: readonly Name[]; readonly mask: BigIntStats }> = [];
    for (const location of places) {
      const name = location.at(-1) ?? '';
      using parent = openIfThere(clone, location.slice(0, -1));
      if (parent === undefined) continue;
      const stat = lstatSync(parent.at(name), { throwIfNoEntry: false });
      if (stat !== undefined) await removeEntry(parent, name);
      const mask = lstatSync(joinNames(area.hidden, location), { bigint: true, throwIfNoEntry: false });
      if (mask?.isDirectory() === true) mkdirSync(parent.at(name), { mode: 0 });
      else if (mask !== undefined) masks.push({ location, mask });
    }
    const made = await makeMasks(
      attributes,
      root,
      masks.map(({ location }) => ({ location, isFolder: false })),
      signal,
    );
    if (!made && masks.length > 0) throw notCloned('hidden files cannot be masked');
    await setExactTimes(
      attributes,
      root,
      masks.map(({ location, mask }) => ({ location, times: mask })),
      signal,
    );
    using cursor = new TreeCursor(area.merged, { owned: true });
    visitTreeSync(cursor, (name, stat) => void this.#known.set(bytePath([...cursor.location, name]), knownEntry(stat)));
  }

  /** Moves what the command changed to the upper layer of the area: as an overlay would have written it there. */
  async settle(signal: AbortSignal): Promise<void> {
    const { area, attributes } = this.#parts;
    const changes = changesOfClone(area.merged, this.#known);
    using clone = new HandleConfinement(area.merged);
    using upper = new HandleConfinement(area.upper);
    const rest = turns(signal);
    const folders = this.#foldersAround(changes);
    const stats = folders.map((location) => ({ location, stat: lstatSync(joinNames(area.merged, location), { bigint: true }) }));
    for (const { location } of stats) {
      chmodSync(joinNames(area.merged, location), 0o700);
      if (location.length > 0) mkdirSync(joinNames(area.upper, location), { mode: 0o700 });
    }
    const deleted: WorkspacePath[] = [];
    const moved = new Set<string>();
    for (const [key, { location, now }] of changes) {
      await rest();
      if (now === undefined) deleted.push(location);
      const isIn = location.some((_, index) => moved.has(bytePath(location.slice(0, index))));
      if (now === undefined || isIn || this.#isStanding(key, now)) continue;
      using from = clone.openDirectory(location.slice(0, -1));
      using to = upper.openDirectory(location.slice(0, -1));
      const name = location.at(-1) ?? '';
      // To move a folder, its owner must be allowed to write in it.
      if (now.isDirectory()) chmodSync(from.at(name), (Number(now.mode) & PERMISSIONS) | 0o700);
      renameSync(from.at(name), to.at(name));
      if (now.isDirectory()) chmodSync(to.at(name), Number(now.mode) & PERMISSIONS);
      moved.add(key);
    }
    using top = upper.openDirectory([]);
    if (!(await makeWhiteouts(attributes, top, deleted, signal))) {
      throw new SynapseError('unavailable', 'What the command deleted on its copy cannot be marked. Nothing it did was applied.', {
        hint: 'Repeat it with "live": true, which runs it in the workspace itself.',
      });
    }
    const deepest = stats.toReversed();
    await setExactTimes(
      attributes,
      top,
      deepest.map(({ location, stat }) => ({ location, times: stat })),
      signal,
    );
    for (const { location, stat } of deepest) chmodSync(joinNames(area.upper, location), Number(stat.mode) & PERMISSIONS);
    if (stats.length === 0) chmodSync(area.upper, statSync(area.merged).mode & PERMISSIONS);
  }

  /** Whether a folder was one before, too: what is in it has changes of its own. */
  #isStanding(key: string, now: BigIntStats): boolean {
    return now.isDirectory() && this.#known.get(key)?.type === 'folder';
  }

  /** The folders on both sides that a change is in, and those that are changed themselves: from the top down. */
  #foldersAround(changes: ReadonlyMap<string, CloneChange>): WorkspacePath[] {
    const around = new Map<string, WorkspacePath>();
    for (const [key, { location, now }] of changes) {
      const depth = now !== undefined && this.#isStanding(key, now) ? location.length : location.length - 1;
      for (let length = 0; length <= depth; length += 1) {
        const folder = location.slice(0, length);
        // What is in a new folder moves with it.
        if (length > 0 && this.#known.get(bytePath(folder))?.type !== 'folder') break;
        around.set(bytePath(folder), folder);
      }
    }
    return [...around.values()].toSorted((one, other) => one.length - other.length);
  }
}

function openIfThere(clone: HandleConfinement, location: WorkspacePath) {
  try {
    return clone.openDirectory(location);
  } catch {
    // The folder around it is hidden, too.
    return undefined;
  }
}

const notCloned = (why: string): SynapseError =>
  new SynapseError('unavailable', `A command cannot run on a copy here: ${why}. It was not run.`, {
    hint: 'Repeat it with "live": true, which runs it in the workspace itself.',
  });
