import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readlinkSync, unlinkSync, type BigIntStats } from 'node:fs';
import { displayPath, type Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entryType } from '../workspace/list-entries.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { addTo, turns, visitTree, type TreeSize } from '../workspace/visit-tree.ts';
import { Cautions } from './cautions.ts';
import { buildFolder, isBeyondOutput } from '../policy/build-output.ts';
import { judgeEntry, type EntryJudge } from './judge-entry.ts';
import type { HiddenPlaces } from './hidden-layer.ts';
import { staysIn } from './moved-hidden.ts';
import type { OverlayView } from './overlay-view.ts';
import { areRefreshedIndexes } from '../journal/refreshed-index.ts';
import { sameContent } from './same-content.ts';
import type { PlannedEntry, ReadChanges, WithheldEntry } from './planned-entry.ts';
import type { TouchedFolder } from './transaction.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';

/** Maximum folder depth. A deeper path alone would take megabytes. */
const MAX_DEPTH = 1_000;
/** Maximum changes in one journal entry; a new folder counts as one, whatever it contains. */
const MAX_CHANGES = 500_000;
/** A folder with this many names that was recreated is exchanged as one: entry by entry costs a hundred times as much. */
const MANY_NAMES = 200;
const SET_ID = 0o6000n;
const PERMISSIONS = 0o7777n;

/** Input of {@link readChanges}. */
export interface ReadOptions {
  /** Path of the upper folder. */
  readonly upper: string;
  /** Path of the workspace, by handle. */
  readonly lower: string;
  /** See `PinnedDirectory`. */
  readonly standIn: PinnedDirectory['standIn'] | undefined;
  readonly judge: EntryJudge;
  /** The workspace after the command, for the judge: knows folders that were replaced as a whole. */
  readonly after: Pick<OverlayView, 'addWhole'>;
  /** Whether a folder of the upper layer hides the one in the workspace. `name` is an entry that only the latter has, if any. */
  readonly isOpaque: (folder: readonly Name[], name: Name | undefined) => Promise<boolean>;
  /** The places that were hidden from the command. */
  readonly hidden: HiddenPlaces;
  /** Hidden files that are not deleted because their new name would reveal them, with that name. */
  readonly stays: ReadonlyMap<string, WorkspacePath>;
  /** New names of hidden files that moved along with their folder. */
  readonly taken: ReadonlySet<string>;
  /**
   * Whether the command saw build output of earlier ones above the workspace: it can have deleted what the workspace does not contain.
   * `drop`: the marks of that are removed, as the changes wait without that output.
   */
  readonly outputs: 'none' | 'shown' | 'drop';
  readonly signal: AbortSignal;
}

/** A new folder, with what was found in it so far. */
interface NewFolder extends TreeSize {
  beyondOutput?: string | undefined;
}

interface Frame {
  readonly names: Name[];
  /** The new folder that contains all of these names; undefined in a folder that exists on both sides. */
  readonly whole: NewFolder | undefined;
}

const isWhiteout = (stat: BigIntStats): boolean => stat.isCharacterDevice() && stat.rdev === 0n;
const HIDDEN_FOLDER = { reason: 'denied', detail: 'it is hidden from commands' } as const;
const byName = (one: Name, other: Name): number => Buffer.compare(Buffer.from(other), Buffer.from(one));

/** Reads an upper folder as changes of the workspace and judges each one, including the content of new folders. */
export async function readChanges(options: ReadOptions): Promise<ReadChanges> {
  const reader = new ChangeReader(options);
  try {
    return await reader.read();
  } finally {
    reader[Symbol.dispose]();
  }
}

class ChangeReader implements Disposable {
  readonly #options: ReadOptions;
  readonly #upper: TreeCursor;
  readonly #lower: TreeCursor;
  readonly #changes: PlannedEntry[] = [];
  /** Index files of git whose content is the same as before. */
  readonly #refreshed = new Set<PlannedEntry>();
  readonly #withheld: WithheldEntry[] = [];
  readonly #touched: TouchedFolder[] = [];
  readonly #cautions = new Cautions();
  readonly #hash = createHash('sha256');
  #unjudged: string | undefined;
  #hasCopies = false;
  #taken = 0;
  #mostTaken = { bytes: -1, path: '.' };

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#upper = new TreeCursor(options.upper, { owned: true });
    try {
      this.#lower = new TreeCursor(options.lower, { standIn: options.standIn });
    } catch (error) {
      this.#upper[Symbol.dispose]();
      throw error;
    }
  }

  async read(): Promise<ReadChanges> {
    const rest = turns(this.#options.signal);
    const frames: Frame[] = [{ names: this.#sorted(this.#upper), whole: undefined }];
    for (let frame = frames.at(-1); frame !== undefined && this.#unjudged === undefined; frame = frames.at(-1)) {
      await rest();
      const name = frame.names.pop();
      if (name === undefined) {
        frames.pop();
        if (frames.length > 0) this.#upper.leave();
        if (frames.length > 0 && frame.whole === undefined) this.#lower.leave();
        continue;
      }
      const next = await this.#visit(frame, name);
      if (next !== undefined) frames.push(next);
      if (frames.length > MAX_DEPTH) this.#unjudged = `it made folders more than ${MAX_DEPTH} levels deep`;
      if (this.#changes.length > MAX_CHANGES) this.#unjudged = `it changed more than ${MAX_CHANGES} entries one by one`;
    }
    const changes = this.#changes.filter((change) => !this.#isOnlyRefreshed(change));
    for (const { path, kind, now, before, files, bytes } of changes)
      this.#hash.update(JSON.stringify([path, kind, files, bytes, ...[now?.ino, now?.mode, now?.mtimeNs, now?.size, before?.ino].map(String)]));
    const [files, bytes] = changes.reduce((sum, change) => (change.now === undefined ? sum : [sum[0] + change.files, sum[1] + change.bytes]), [0, 0]);
    return {
      changes,
      brought: [],
      movesHidden: this.#options.taken.size > 0,
      seenOutputs: [],
      withheld: this.#withheld,
      hasCopies: this.#hasCopies,
      touched: this.#touched,
      cautions: this.#cautions.lines,
      unjudged: this.#unjudged,
      files: files ?? 0,
      bytes: bytes ?? 0,
      fingerprint: this.#hash.digest('hex'),
      taken: { bytes: this.#taken, path: this.#mostTaken.path },
    };
  }

  [Symbol.dispose](): void {
    this.#upper[Symbol.dispose]();
    this.#lower[Symbol.dispose]();
  }

  /** The names of a folder in reverse order. */
  #sorted(cursor: TreeCursor): Name[] {
    return cursor.names().sort(byName);
  }

  /** Reads one entry. If it is a folder to descend into, returns it. */
  async #visit(frame: Frame, name: Name): Promise<Frame | undefined> {
    const upper = this.#upper;
    const now = upper.stat(name);
    if (now === undefined) return undefined;
    const location = [...upper.location, name];
    const lower = frame.whole === undefined ? this.#lower : undefined;
    const before = lower?.stat(name);
    if (before !== undefined && !(now.isDirectory() && before.isDirectory())) this.#hasCopies = true;
    if (isWhiteout(now) && lower !== undefined) {
      if (before !== undefined) await this.#deleted(location, name, before);
      return undefined;
    }
    if (isWhiteout(now) && this.#isDeletedOutput(location, name)) return undefined;
    if (!now.isFile() && !now.isDirectory() && !now.isSymbolicLink()) return this.#special(location, now, lower !== undefined);
    if (lower !== undefined && this.#options.hidden.kindOf(location) === 'folder') return this.#keep(location, HIDDEN_FOLDER);
    const isKept = now.isDirectory() && before?.isDirectory() === true && !(await this.#isOpaque(location, name));
    if (before !== undefined && !isKept) this.#hasCopies = true;
    const stays = isKept || before === undefined ? undefined : this.#staying(location);
    if (stays !== undefined) return this.#keep(location, stays);
    if (!isKept && before !== undefined && this.#isUnchanged(name, now, before)) return undefined;
    const lost = !isKept && before?.isDirectory() === true ? await this.#noteReplaced(location, name) : undefined;
    if (lost !== undefined) return this.#keep(location, { reason: 'denied', detail: lost });
    const isSameFolder = isKept && before !== undefined && (now.mode & PERMISSIONS) === (before.mode & PERMISSIONS);
    if (isKept && before !== undefined && now.mtimeNs !== before.mtimeNs) this.#touch(location, before, now);
    let whole = frame.whole;
    if (!isSameFolder) {
      const isTaken = this.#options.taken.has(bytePath(location));
      const { withheld, caution } = judgeEntry(this.#options.judge, location, {
        upper,
        isLink: now.isSymbolicLink(),
        isFolder: now.isDirectory(),
        isTaken,
      });
      // What git gc does to the logs of other worktrees: nothing would be lost, so nothing need be said.
      if (withheld?.reason === 'denied' && before !== undefined && now.mode === before.mode && this.#hasSameContent(name, now, before))
        return undefined;
      // Even if the changed permissions of a folder are withheld, its content is not.
      if (withheld !== undefined && !isKept) return this.#keep(location, withheld);
      if (withheld !== undefined) this.#note({ path: displayPath(location), ...withheld, location, isThere: false });
      if (caution !== undefined) this.#cautions.add(displayPath(location), caution);
      if (withheld === undefined) {
        whole = this.#take(frame, location, name, now, before, isKept);
        whole.beyondOutput ??= this.#beyondOutput(location, name, now, caution);
      }
    }
    if (!now.isDirectory()) return undefined;
    if (!isKept && frame.whole === undefined) this.#options.after.addWhole(bytePath(location));
    upper.enter(name);
    if (isKept) this.#lower.enter(name);
    const names = this.#sorted(upper);
    return { names, whole: isKept ? undefined : whole };
  }

  /** Whether a command deleted build output in a folder that only the layer of build output has. */
  #isDeletedOutput(location: WorkspacePath, name: Name): boolean {
    const { outputs } = this.#options;
    if (outputs === 'none' || buildFolder(displayPath(location)) === undefined) return false;
    if (outputs === 'drop') unlinkSync(this.#upper.at(name));
    return true;
  }

  #special(location: WorkspacePath, now: BigIntStats, isMerged: boolean): undefined {
    const { hidden } = this.#options;
    const real = hidden.behind(now);
    if (real === undefined) return this.#keep(location, { reason: 'special-file', detail: 'a pipe, a socket or a device' });
    const isInPlace = isMerged && bytePath(real) === bytePath(location);
    // Copied up with its folder, or through a hard link: it did not change.
    if (isInPlace && (now.mode & PERMISSIONS) === 0n) return undefined;
    const detail = isInPlace
      ? 'hidden from commands, so its permissions stay'
      : `${displayPath(real)} is hidden from commands, so they cannot copy it`;
    return this.#keep(location, { reason: 'special-file', detail });
  }

  /** Why a path with a hidden file is not deleted: the file would be visible under another name. */
  #staying(location: WorkspacePath): Pick<WithheldEntry, 'reason' | 'detail'> | undefined {
    const stays = staysIn(this.#options.stays, location);
    if (stays === undefined) return undefined;
    return { reason: 'denied', detail: `${stays.path} is hidden from commands, and would not be as ${stays.to}` };
  }

  #touch(location: WorkspacePath, before: BigIntStats, now: BigIntStats): void {
    if (this.#options.judge.guards.denied(location) === undefined) this.#touched.push({ location, before, now });
  }

  #isUnchanged(name: Name, now: BigIntStats, before: BigIntStats): boolean {
    if (entryType(now) !== entryType(before) || now.isDirectory()) return false;
    if (now.isSymbolicLink()) return readlinkSync(this.#upper.at(name), 'buffer').equals(readlinkSync(this.#lower.at(name), 'buffer'));
    return now.mtimeNs === before.mtimeNs && (now.mode & PERMISSIONS) === (before.mode & PERMISSIONS) && this.#hasSameContent(name, now, before);
  }

  #hasSameContent(name: Name, now: BigIntStats, before: BigIntStats): boolean {
    return now.isFile() && before.isFile() && now.size === before.size && sameContent(this.#upper.at(name), this.#lower.at(name));
  }

  /** Whether a folder on both sides was deleted and recreated. If so, entries that only the workspace has are gone. */
  async #isOpaque(location: WorkspacePath, name: Name): Promise<boolean> {
    const [upper, lower] = [this.#upper, this.#lower];
    upper.enter(name);
    lower.enter(name);
    try {
      const own = new Set(upper.names().map((one) => one.toString('latin1')));
      const before = this.#namesIfReadable(lower);
      const only = before.find((one) => !own.has(one.toString('latin1')));
      // With the same names on both sides, it only matters to what folders contain: their own attributes do not show it.
      // What a hidden one contains stays.
      const { hidden } = this.#options;
      const hasFolder = (): boolean =>
        before.some((one) => lower.stat(one)?.isDirectory() === true && hidden.kindOf([...location, one]) !== 'folder');
      if (only === undefined && before.length < MANY_NAMES && !hasFolder()) return false;
      return await this.#options.isOpaque(location, only);
    } finally {
      upper.leave();
      lower.leave();
    }
  }

  #namesIfReadable(cursor: TreeCursor): Name[] {
    try {
      return cursor.names();
    } catch (error) {
      // The command could not read it either, so it did not delete the content.
      if (errnoOf(error) === 'EACCES') return [];
      throw error;
    }
  }

  async #deleted(location: WorkspacePath, name: Name, before: BigIntStats): Promise<void> {
    const { withheld } = judgeEntry(this.#options.judge, location);
    const stays = withheld ?? this.#staying(location);
    if (stays !== undefined) return this.#note({ path: displayPath(location), ...stays, location, isThere: false });
    const ofFile: TreeSize = { files: 0, bytes: 0, entries: 0 };
    addTo(ofFile, before);
    const { size, denied } = before.isDirectory() ? await this.#contentOf(name) : { size: ofFile, denied: undefined };
    if (denied !== undefined) return this.#note({ path: displayPath(location), reason: 'denied', detail: denied, location, isThere: false });
    const entries = before.isDirectory() ? size.entries : 0;
    this.#noteTaken(displayPath(location), size.bytes);
    this.#changes.push({
      location,
      path: displayPath(location),
      kind: 'deleted',
      type: entryType(before),
      ...size,
      entries,
      before,
      now: undefined,
      isModeOnly: false,
      isTimeOnly: false,
    });
  }

  #take(frame: Frame, location: WorkspacePath, name: Name, now: BigIntStats, before: BigIntStats | undefined, isKept: boolean): NewFolder {
    const path = displayPath(location);
    if (now.isFile() && (now.mode & SET_ID) !== 0n) {
      chmodSync(this.#upper.at(name), Number(now.mode & 0o777n));
      this.#cautions.add(path, 'does not get the rights of its owner (set-id bits)');
    }
    if (frame.whole !== undefined) {
      addTo(frame.whole, now);
      return frame.whole;
    }
    const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
    if (now.isFile()) addTo(size, now);
    if (!isKept && before?.isFile() === true) this.#noteTaken(path, Number(before.size));
    const isMetadata = isKept || (before !== undefined && this.#hasSameContent(name, now, before));
    const kind = isMetadata ? 'metadata' : before === undefined ? 'added' : 'changed';
    const stat = lstatSync(this.#upper.at(name), { bigint: true });
    const isTimeOnly = kind === 'metadata' && (stat.mode & PERMISSIONS) === ((before?.mode ?? 0n) & PERMISSIONS);
    const change = { location, path, kind, type: entryType(now), ...size, entries: 0, before, now: stat, isModeOnly: isKept, isTimeOnly } as const;
    this.#changes.push(change);
    const isSameSize = kind === 'changed' && now.size === before?.size;
    if (isSameSize && name === 'index' && areRefreshedIndexes(this.#upper.at(name), this.#lower.at(name))) this.#refreshed.add(change);
    return change;
  }

  #beyondOutput(location: WorkspacePath, name: Name, now: BigIntStats, caution: string | undefined): string | undefined {
    const path = displayPath(location);
    const target = now.isSymbolicLink() ? readlinkSync(this.#upper.at(name), 'latin1') : undefined;
    return caution !== undefined || isBeyondOutput(path, target) ? path : undefined;
  }

  /**
   * Whether git only refreshed the file information in its index and changed nothing else in its repository. This is not applied:
   * it is not worth a question, and a forged index would hide changes from `git status`. Git refreshes it again.
   */
  #isOnlyRefreshed(change: PlannedEntry): boolean {
    if (!this.#refreshed.has(change)) return false;
    const folder = change.location.slice(0, -1);
    return !this.#changes.some((other) => !this.#refreshed.has(other) && folder.every((name, depth) => other.location[depth] === name));
  }

  /** Counts the content of a replaced folder. Returns why it must not be lost; undefined if it may. */
  async #noteReplaced(location: WorkspacePath, name: Name): Promise<string | undefined> {
    const { size, denied } = await this.#contentOf(name);
    if (denied === undefined) this.#noteTaken(displayPath(location), size.bytes);
    return denied;
  }

  /** The size of a folder of the workspace that is lost, and why something in it must not be. */
  async #contentOf(name: Name): Promise<{ readonly size: TreeSize; readonly denied: string | undefined }> {
    const { guards } = this.#options.judge;
    const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
    let denied: string | undefined;
    const depth = this.#lower.location.length;
    try {
      this.#lower.enter(name);
      await visitTree(
        this.#lower,
        (below, stat) => {
          addTo(size, stat);
          denied ??= guards.denied([...this.#lower.location, below], 'delete');
        },
        this.#options.signal,
      );
    } catch (error) {
      if (errnoOf(error) !== 'EACCES') throw error;
      denied ??= 'its owner closed a folder of it, so what would be lost is not known';
    }
    while (this.#lower.location.length > depth) this.#lower.leave();
    return { size, denied };
  }

  #noteTaken(path: string, bytes: number): void {
    this.#taken += bytes;
    if (bytes > this.#mostTaken.bytes) this.#mostTaken = { bytes, path };
  }

  #keep(location: WorkspacePath, danger: Pick<WithheldEntry, 'reason' | 'detail'>): undefined {
    this.#note({ path: displayPath(location), ...danger, location, isThere: true });
  }

  #note(withheld: WithheldEntry): void {
    this.#withheld.push(withheld);
    this.#hash.update(JSON.stringify(['withheld', withheld.path]));
  }
}
