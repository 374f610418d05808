import { existsSync, readlinkSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import type { Name } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { kernelTime } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { bytePath, foldersAround } from '../workspace/workspace-path.ts';
import { Bases, imageIn, isMissingIn, type ReadBase } from './base-log.ts';
import type { BranchFolder } from './branch-folder.ts';
import type { HeldBranch } from './hold-branch.ts';
import { refreshBranch } from './refresh-branch.ts';

/** Most entries of a branch that are looked at, and most bytes of contents that are kept: more would make a person wait. */
const MOST = { entries: 20_000, bytes: 67_108_864 };

class TooMany extends Error {}

/**
 * Notes, when a command of a person or an editor has ended, what the workspace has of the entries that it changed first in a branch. Nothing
 * records these changes while they are made. Disposing notes them; without that, as after a kill, they count as before: what both sides
 * changed is a conflict.
 */
export class UnrecordedChanges implements Disposable {
  readonly #folder: BranchFolder;
  /** Entries of the workspace with an earlier ctime are as they were when the command began. */
  readonly #since: bigint;
  /**
   * What the branch had changed before, and the folders around it: when, and from what, is not known here, and a command that deletes such a
   * folder did not see all of the workspace's. Undefined if nothing can be noted.
   */
  readonly #before: ReadonlySet<string> | undefined;

  private constructor(folder: BranchFolder, since: bigint, isNoted: boolean) {
    this.#folder = folder;
    this.#since = since;
    const changed = isNoted ? this.#changed((location) => location) : undefined;
    this.#before = changed && new Set([...changed].flatMap((location) => [...foldersAround(location), location].map(bytePath)));
  }

  /**
   * Begins, before the command runs.
   *
   * @param held the branch, from now on until this is disposed
   */
  static async begin(folder: BranchFolder, held: HeldBranch): Promise<UnrecordedChanges> {
    // A clone knows what it was made from. What a branch of a branch began with is in several layers, which may change.
    const isPlain = !existsSync(folder.clone) && folder.layers.length === 0;
    const since = isPlain ? kernelTime(folder.state) : 0n;
    // If another process has mounted the branch, the kernel may show it older states of files: the command would not change what the workspace
    // has. The time is read before, so that what changes while the kernel looks anew counts as later.
    return new UnrecordedChanges(folder, since, isPlain && (await refreshBranch(held.path(held.stateFolder))));
  }

  /** Returns something of each entry in the layer of the branch but folders; undefined if there are too many. */
  #changed<Value>(read: (location: readonly Name[]) => Value | undefined): Set<Value> | undefined {
    const found = new Set<Value>();
    let left = MOST.entries;
    try {
      using cursor = new TreeCursor(this.#folder.upper, { owned: true });
      visitTreeSync(cursor, (name, stat) => {
        if ((left -= 1) < 0) throw new TooMany();
        const value = stat.isDirectory() ? undefined : read([...cursor.location, name]);
        if (value !== undefined) found.add(value);
      });
      return found;
    } catch (error) {
      // Or a folder went away while it was read: another process works in the branch, too.
      if (error instanceof TooMany || isSynapseError(error) || errnoOf(error) !== undefined) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    const before = this.#before;
    if (before === undefined) return;
    try {
      this.#note(before);
    } catch (error) {
      // The workspace is gone, or the disk is full: the command has run, and its changes count as if this had been killed.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    }
  }

  #note(before: ReadonlySet<string>): void {
    using workspace = new HandleConfinement(readlinkSync(this.#folder.lower));
    let left = MOST.bytes;
    const missing = new Map<string, readonly Name[]>();
    const found = this.#changed((location) => {
      if (before.has(bytePath(location))) return undefined;
      const image = left > 0 ? this.#unchanged(workspace, location) : undefined;
      left -= image?.bytes?.length ?? 0;
      if (image !== undefined) return { location, ...image };
      const outermost = outermostMissing(workspace, location);
      if (outermost !== undefined) missing.set(bytePath(outermost), outermost);
      return undefined;
    });
    Bases.seen(this.#folder.state, this.#since, [...(found ?? [])], [...missing.values()]);
  }

  /** What the workspace has of an entry, if that was not changed since. */
  #unchanged(workspace: HandleConfinement, location: readonly Name[]): ReadBase | undefined {
    try {
      using folder = workspace.openDirectory(location.slice(0, -1));
      const image = imageIn(folder, location);
      return image !== undefined && image.base.type !== 'other' && BigInt(image.base.changed) < this.#since ? image : undefined;
    } catch (error) {
      // The workspace has no such folder: the entry is new.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  }
}

/** The entry, or the outermost folder around it, that the workspace does not have. */
function outermostMissing(workspace: HandleConfinement, location: readonly Name[]): readonly Name[] | undefined {
  return [...foldersAround(location), location].find((one) => isMissingIn(workspace, one));
}
