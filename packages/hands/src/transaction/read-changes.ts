import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readlinkSync, type BigIntStats } from 'node:fs';
import type { LeftoverReason } from '../sandbox/command-sweep.ts';
import { displayPath, type Name } from '../workspace/byte-name.ts';
import { bytePath } from '../workspace/byte-path.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entryType } from '../workspace/list-entries.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { addTo, turns, visitTree, type TreeSize } from '../workspace/visit-tree.ts';
import { judgeEntry, type EntryJudge } from './judge-entry.ts';
import type { OverlayView } from './overlay-view.ts';
import { sameContent } from './same-content.ts';
import type { ChangeSet, EntryChange, WithheldChange } from './transaction.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';

/** Deeper folders are not judged: the text of one path alone would be megabytes. */
const MAX_DEPTH = 1_000;
/** More separate changes could not be written down as one; a new folder is one, whatever it holds. */
const MAX_CHANGES = 500_000;
/** Of things to know so many are told. */
const MAX_CAUTIONS = 20;
const SET_ID = 0o6000n;
const PERMISSIONS = 0o7777n;

/** A change, with what is needed to make it. */
export interface PlannedEntry extends EntryChange {
  /** What the workspace has; undefined where it has none. */
  readonly before: BigIntStats | undefined;
  /** What the command made; undefined where it deleted. */
  readonly now: BigIntStats | undefined;
  /** All that is below, itself not counted. */
  readonly entries: number;
  /** An existing folder that keeps what it holds, and gets other permissions. */
  readonly isModeOnly: boolean;
}

/** Something to keep from the workspace, by its place in the upper folder. */
export interface WithheldEntry extends WithheldChange {
  readonly reason: LeftoverReason | 'special-file';
  readonly location: WorkspacePath;
  /** Whether it is there to be kept: a deletion is not. */
  readonly isThere: boolean;
}

/** What was read of an upper folder. */
export interface ReadChanges extends Omit<ChangeSet, 'changes' | 'withheld'> {
  readonly changes: readonly PlannedEntry[];
  readonly withheld: readonly WithheldEntry[];
}

/** What to read, and by what to judge it. */
export interface ReadOptions {
  /** Path of the upper folder. */
  readonly upper: string;
  /** Path of the workspace, by handle. */
  readonly lower: string;
  readonly judge: EntryJudge;
  /** What the judge takes for the workspace after the command: told of folders in which nothing from before is left. */
  readonly after: Pick<OverlayView, 'addWhole'>;
  /** Whether a name is in a folder as the command left it. */
  readonly has: (folder: readonly Name[], name: Name) => Promise<boolean>;
  readonly signal: AbortSignal;
}

interface Frame {
  readonly names: Name[];
  /** The new folder that all of this belongs to; undefined in a folder that is on both sides. */
  readonly whole: TreeSize | undefined;
}

const isWhiteout = (stat: BigIntStats): boolean => stat.isCharacterDevice() && stat.rdev === 0n;
const byName = (one: Name, other: Name): number => Buffer.compare(Buffer.from(other), Buffer.from(one));

/** Reads an upper folder as changes of the workspace, each judged, also what is in new folders. */
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
  readonly #withheld: WithheldEntry[] = [];
  readonly #cautions: string[] = [];
  readonly #hash = createHash('sha256');
  #unjudged: string | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#upper = new TreeCursor(options.upper, { owned: true });
    try {
      this.#lower = new TreeCursor(options.lower);
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
    for (const { path, kind, now, before, files, bytes } of this.#changes)
      this.#hash.update(JSON.stringify([path, kind, files, bytes, ...[now?.ino, now?.mode, now?.mtimeNs, now?.size, before?.ino].map(String)]));
    const [files, bytes] = this.#changes.reduce(
      (sum, change) => (change.now === undefined ? sum : [sum[0] + change.files, sum[1] + change.bytes]),
      [0, 0],
    );
    return {
      changes: this.#changes,
      withheld: this.#withheld,
      cautions: this.#cautions,
      unjudged: this.#unjudged,
      files: files ?? 0,
      bytes: bytes ?? 0,
      fingerprint: this.#hash.digest('hex'),
    };
  }

  [Symbol.dispose](): void {
    this.#upper[Symbol.dispose]();
    this.#lower[Symbol.dispose]();
  }

  /** The names of a folder, the last first. */
  #sorted(cursor: TreeCursor): Name[] {
    return cursor.names().sort(byName);
  }

  /** Takes one entry; gives the folder to go on in where it is one. */
  async #visit(frame: Frame, name: Name): Promise<Frame | undefined> {
    const upper = this.#upper;
    const now = upper.stat(name);
    if (now === undefined) return undefined;
    const location = [...upper.location, name];
    const lower = frame.whole === undefined ? this.#lower : undefined;
    const before = lower?.stat(name);
    if (isWhiteout(now) && lower !== undefined) {
      if (before !== undefined) await this.#deleted(location, name, before);
      return undefined;
    }
    if (!now.isFile() && !now.isDirectory() && !now.isSymbolicLink())
      return this.#keep(location, { reason: 'special-file', detail: 'a pipe, a socket or a device' });
    const isKept = now.isDirectory() && before?.isDirectory() === true && !(await this.#isOpaque(location, name));
    if (!isKept && before !== undefined && this.#isUnchanged(name, now, before)) return undefined;
    const isSameFolder = isKept && before !== undefined && (now.mode & PERMISSIONS) === (before.mode & PERMISSIONS);
    let whole = frame.whole;
    if (!isSameFolder) {
      const { withheld, caution } = judgeEntry(this.#options.judge, location, upper);
      // Other permissions of a folder are no reason to keep what is in it.
      if (withheld !== undefined && !isKept) return this.#keep(location, withheld);
      if (withheld !== undefined) this.#note({ path: displayPath(location), ...withheld, location, isThere: false });
      if (caution !== undefined) this.#caution(`${displayPath(location)} ${caution}`);
      if (withheld === undefined) whole = this.#take(frame, location, name, now, before, isKept);
    }
    if (!now.isDirectory()) return undefined;
    if (!isKept && frame.whole === undefined) this.#options.after.addWhole(bytePath(location));
    upper.enter(name);
    if (isKept) this.#lower.enter(name);
    const names = this.#sorted(upper);
    return { names, whole: isKept ? undefined : whole };
  }

  #isUnchanged(name: Name, now: BigIntStats, before: BigIntStats): boolean {
    if (entryType(now) !== entryType(before) || now.isDirectory()) return false;
    if (now.isSymbolicLink()) return readlinkSync(this.#upper.at(name), 'buffer').equals(readlinkSync(this.#lower.at(name), 'buffer'));
    return now.mtimeNs === before.mtimeNs && (now.mode & PERMISSIONS) === (before.mode & PERMISSIONS) && this.#hasSameContent(name, now, before);
  }

  #hasSameContent(name: Name, now: BigIntStats, before: BigIntStats): boolean {
    return now.isFile() && before.isFile() && now.size === before.size && sameContent(this.#upper.at(name), this.#lower.at(name));
  }

  /** Whether a folder on both sides was deleted and made again: then a name that only the workspace has is not in it any more. */
  async #isOpaque(location: WorkspacePath, name: Name): Promise<boolean> {
    const [upper, lower] = [this.#upper, this.#lower];
    upper.enter(name);
    lower.enter(name);
    try {
      const own = new Set(upper.names().map((one) => one.toString('latin1')));
      const only = this.#namesIfReadable(lower).find((one) => !own.has(one.toString('latin1')));
      return only !== undefined && !(await this.#options.has(location, only));
    } finally {
      upper.leave();
      lower.leave();
    }
  }

  #namesIfReadable(cursor: TreeCursor): Name[] {
    try {
      return cursor.names();
    } catch (error) {
      // The command could not read it either, so it did not delete what is in it.
      if (errnoOf(error) === 'EACCES') return [];
      throw error;
    }
  }

  async #deleted(location: WorkspacePath, name: Name, before: BigIntStats): Promise<void> {
    const { guards } = this.#options.judge;
    const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
    const { withheld } = judgeEntry(this.#options.judge, location);
    if (withheld !== undefined) return this.#note({ path: displayPath(location), ...withheld, location, isThere: false });
    let denied: string | undefined;
    if (before.isDirectory()) {
      this.#lower.enter(name);
      await visitTree(
        this.#lower,
        (below, stat) => {
          addTo(size, stat);
          denied ??= guards.denied([...this.#lower.location, below]);
        },
        this.#options.signal,
      );
      this.#lower.leave();
    } else addTo(size, before);
    if (denied !== undefined) return this.#note({ path: displayPath(location), reason: 'denied', detail: denied, location, isThere: false });
    const entries = before.isDirectory() ? size.entries : 0;
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
    });
  }

  #take(frame: Frame, location: WorkspacePath, name: Name, now: BigIntStats, before: BigIntStats | undefined, isKept: boolean): TreeSize {
    const path = displayPath(location);
    if (now.isFile() && (now.mode & SET_ID) !== 0n) {
      chmodSync(this.#upper.at(name), Number(now.mode & 0o777n));
      this.#caution(`${path} does not get the rights of its owner (set-id bits)`);
    }
    if (frame.whole !== undefined) {
      addTo(frame.whole, now);
      return frame.whole;
    }
    const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
    if (now.isFile()) addTo(size, now);
    const isMetadata = isKept || (before !== undefined && this.#hasSameContent(name, now, before));
    const kind = isMetadata ? 'metadata' : before === undefined ? 'added' : 'changed';
    const stat = lstatSync(this.#upper.at(name), { bigint: true });
    const change = { location, path, kind, type: entryType(now), ...size, entries: 0, before, now: stat, isModeOnly: isKept } as const;
    this.#changes.push(change);
    return change;
  }

  #keep(location: WorkspacePath, danger: Pick<WithheldEntry, 'reason' | 'detail'>): undefined {
    this.#note({ path: displayPath(location), ...danger, location, isThere: true });
  }

  #note(withheld: WithheldEntry): void {
    this.#withheld.push(withheld);
    this.#hash.update(JSON.stringify(['withheld', withheld.path]));
  }

  #caution(line: string): void {
    if (this.#cautions.length < MAX_CAUTIONS) this.#cautions.push(line);
  }
}
