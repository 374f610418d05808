import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { stateProblem } from '../state/state-folder.ts';
import { isDiskFull } from '../workspace/file-error.ts';
import { kernelTime, secondsOf } from '../workspace/file-seconds.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { APPLIED, stampLater } from '../journal/whole-entry.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import { isWatchable } from '../workspace-index/folder-watches.ts';

/** The file beside the areas that says where build output is kept for later commands. */
export const OUTPUTS = 'outputs.json';

/** The name of {@link TransactionArea.pinned}. */
export const PINNED = 'pinned';
/** The beginning of the name of an area. */
const AREA = 'area-';
/** Larger than any record. */
const RESERVE_BYTES = 12 * 1024;
/** Maximum characters of the command in the reserve. */
const MAX_COMMAND = 1_000;

/** The content of {@link TransactionArea.reserve}. Not zeros, which a file system may store without space. */
const reserveFor = (command: string | undefined): string => JSON.stringify({ command: command?.slice(0, MAX_COMMAND) }).padEnd(RESERVE_BYTES);

/** The folder of one command's changes: `upper` contains them as the command wrote them, `old` what they replaced. */
export class TransactionArea {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The name by which the journal refers to it. */
  get name(): string {
    return basename(this.path);
  }

  get upper(): string {
    return join(this.path, 'upper');
  }

  /** Where a copy is mounted, or the clone of a command without namespaces. */
  get merged(): string {
    return join(this.path, 'merged');
  }

  /** A layer between the workspace and {@link upper} that hides places from the command; missing if nothing is hidden. */
  get hidden(): string {
    return join(this.path, 'hidden');
  }

  /** A link to a layer between the workspace and {@link hidden}: build output that earlier commands wrote. Missing without any. */
  get outputs(): string {
    return join(this.path, 'outputs');
  }

  /** HEAD as it was when a branch was mounted or a command began, below what that changed, or a link to it; missing without one. */
  get pinned(): string {
    return join(this.path, PINNED);
  }

  /** A hidden file while it is copied to where a command moved it. */
  get moved(): string {
    return join(this.path, 'moved');
  }

  /** The same for a repository outside the workspace; missing without one. Once the command has ended, it is a part of {@link upper}. */
  get repository(): { readonly lower: string; readonly upper: string; readonly merged: string } {
    const at = (name: string): string => join(this.path, name);
    return { lower: at('lower-git'), upper: at('upper-git'), merged: at('merged-git') };
  }

  /** The record of the folders that are open while changes are applied; missing while none are. */
  get opened(): string {
    return join(this.path, 'opened');
  }

  /** There while {@link upper} is that of a branch. What becomes of it, the branch decides. */
  get ofBranch(): string {
    return join(this.path, 'of-branch');
  }

  get record(): string {
    return join(this.path, 'record.json');
  }

  /** What the changes in it replace, if they wait. */
  get replaced(): string {
    return join(this.path, 'replaced');
  }

  /**
   * Reserves disk space for {@link record}: a command that fills the disk must not cause the loss of its changes.
   * Until then it names the command, in case Synapse is killed.
   */
  get reserve(): string {
    return join(this.path, 'reserve');
  }

  /** The current time of the kernel's clock for file timestamps. */
  stamp(): bigint {
    return kernelTime(this.path);
  }

  /** The first unused slot; slots of reverted exchanges count as used. */
  firstSlot(): number {
    const used = ['old', 'new'].flatMap((side) => (existsSync(join(this.path, side)) ? readdirSync(join(this.path, side)).map(Number) : []));
    return Math.max(-1, ...used) + 1;
  }

  /**
   * Removes what is no longer needed after applying. Keeps what an undo needs.
   *
   * @param isKept whether the journal refers to it, even if not all of it was applied
   */
  async settle(isKept = false): Promise<void> {
    rmSync(this.record, { force: true });
    const mark = join(this.path, APPLIED);
    const isApplied = existsSync(mark);
    if (!isApplied && !isKept) return await this.remove();
    const sharesFiles = await this.#leftoversShareFiles();
    const names = [
      'upper',
      'hidden',
      'outputs',
      PINNED,
      'moved',
      'work',
      'merged',
      'lower',
      'upper-git',
      'work-git',
      'merged-git',
      'lower-git',
      'reserve',
      'of-branch',
      'replaced',
    ];
    const removed = Promise.all(names.map((name) => removeTree(join(this.path, name))));
    // Removing a hard link changes the ctime of the file, even under a name that was applied.
    if (sharesFiles) await removed;
    await Promise.all([isApplied ? stampLater(mark) : undefined, removed]);
  }

  /** Whether an entry that was not applied has another name, which may be in the workspace now. */
  async #leftoversShareFiles(): Promise<boolean> {
    if (!existsSync(this.upper)) return false;
    using cursor = new TreeCursor(this.upper, { owned: true });
    let shares = false;
    await visitTree(
      cursor,
      (_, stat) => {
        // Whiteouts share one inode.
        if (!stat.isDirectory() && !stat.isCharacterDevice() && stat.nlink > 1n) shares = true;
      },
      new AbortController().signal,
    );
    return shares;
  }

  async remove(): Promise<void> {
    // First: what is left of a removal that is killed is not the work of an interrupted command.
    rmSync(this.reserve, { force: true });
    await removeTree(this.path);
  }
}

/**
 * Creates an area for one command. Does not read the workspace.
 *
 * @param command kept in case Synapse is killed while it runs; undefined if its changes are dropped anyway
 * @param repository a folder outside the workspace to copy too
 * @throws SynapseError `unavailable` if the disk is full
 */
export function makeArea(folder: string, root: string, command?: string, repository?: string): TransactionArea {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    keepReserve(folder);
    const area = new TransactionArea(mkdtempSync(join(folder, `${AREA}${processIdentity().replace(' ', '-')}-`)));
    for (const name of ['upper', 'work', 'merged']) mkdirSync(join(area.path, name));
    // Mount options cannot escape a comma or a colon, so relative names are used.
    symlinkSync(root, join(area.path, 'lower'));
    if (repository !== undefined) {
      for (const name of ['upper-git', 'work-git', 'merged-git']) mkdirSync(join(area.path, name));
      symlinkSync(repository, area.repository.lower);
    }
    writeFileSync(area.reserve, reserveFor(command));
    return area;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw stateProblem('A command cannot run on a copy', folder, error);
  }
}

/** Whether some changes of commands are not applied, or not yet: they wait, or their command runs. */
export function holdUnapplied(areas: string): boolean {
  return existsSync(areas) && readdirSync(areas).some((name) => name.startsWith(AREA) && !existsSync(join(areas, name, APPLIED)));
}

/** Gives the folder of a layer the mode and the time of the one below. */
export function prepareLayer(upper: string, lower: string): void {
  const own = statSync(lower, { bigint: true });
  chmodSync(upper, Number(own.mode) & 0o7777);
  utimesSync(upper, secondsOf(own.atimeNs), secondsOf(own.mtimeNs));
}

/** Why commands cannot run as transactions with their changes in a folder; undefined if they can. */
export function deviceProblem(folder: string, root: string): string | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).dev === statSync(root).dev || isWatchable(root)) return undefined;
  // Changes by others are detected with timestamps of this machine.
  return 'the workspace is on a file system that others may write to, and the state folder of Synapse on another (set XDG_STATE_HOME)';
}

/** Enough for the databases, locks and logs that it takes to list, apply or drop pending changes. */
const DISK_RESERVE_BYTES = 1024 * 1024;
/** It is not made on a disk that is nearly full. */
const ROOM_BYTES = 8 * DISK_RESERVE_BYTES;

/** In the state folder, so that all workspaces share it. */
const diskReserveIn = (areas: string): string => join(areas, '../../disk-reserve');

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Reserves disk space for a folder of areas. If a command fills the disk, its pending changes keep it full, and without
 * this space they could not be dropped.
 */
export function keepReserve(areas: string): void {
  const path = diskReserveIn(areas);
  if (existsSync(path) || freeBytes(areas) < ROOM_BYTES) return;
  // Not zeros, which a file system may store without space.
  writeFileSync(path, Buffer.alloc(DISK_RESERVE_BYTES, 1));
}

/** Gives the reserved space back if the disk is full. */
export function releaseReserve(areas: string): void {
  if (freeBytes(areas) < DISK_RESERVE_BYTES) rmSync(diskReserveIn(areas), { force: true });
}
