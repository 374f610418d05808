import type { BigIntStats } from 'node:fs';
import type { Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { TreeCursor, turns } from '../workspace/tree-cursor.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { ChangeCollector, type NewFolder } from './change-collector.ts';
import { isWhiteout, lostContent, type ChangeEntry, type LostContent } from './change-entry.ts';
import { DELETION_JUDGES, ENTRY_JUDGES, judgeChange, type JudgeParts } from './change-judges.ts';
import type { OverlayView } from './overlay-view.ts';
import type { ReadChanges } from './planned-entry.ts';

/** Maximum folder depth. A deeper path alone would take megabytes. */
const MAX_DEPTH = 1_000;
/** Maximum changes in one journal entry; a new folder counts as one, whatever it contains. */
const MAX_CHANGES = 500_000;
/** A folder with this many names that was recreated is exchanged as one: entry by entry costs a hundred times as much. */
const MANY_NAMES = 200;

/** Input of {@link readChanges}. */
export interface ReadOptions extends Omit<JudgeParts, 'lost' | 'caution'> {
  /** Path of the upper folder. */
  readonly upper: string;
  /** Path of the workspace, by handle. */
  readonly lower: string;
  /** See `PinnedDirectory`. */
  readonly standIn: PinnedDirectory['standIn'] | undefined;
  /** The workspace after the command, for the judges: knows folders that were replaced as a whole. */
  readonly after: Pick<OverlayView, 'addWhole'>;
  /** Whether a folder of the upper layer hides the one in the workspace. `name` is an entry that only the latter has, if any. */
  readonly isOpaque: (folder: readonly Name[], name: Name | undefined) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** A folder of the upper layer that is being read. */
interface Frame {
  /** The names that are left, in reverse order. */
  readonly names: Name[];
  /** The new folder that contains all of these names; undefined in a folder that exists on both sides. */
  readonly whole: NewFolder | undefined;
}

const byName = (one: Name, other: Name): number => Buffer.compare(Buffer.from(other), Buffer.from(one));

/** Reads an upper folder as changes of the workspace, and judges each one, including the content of new folders. */
export async function readChanges(options: ReadOptions): Promise<ReadChanges> {
  using upper = new TreeCursor(options.upper, { owned: true });
  using lower = new TreeCursor(options.lower, { standIn: options.standIn });
  return await new ChangeReader(options, upper, lower).read();
}

class ChangeReader {
  readonly #options: ReadOptions;
  readonly #upper: TreeCursor;
  readonly #lower: TreeCursor;
  readonly #found = new ChangeCollector();
  readonly #judging: JudgeParts;
  /** What the judges found out about the current entry. */
  #current: { lost?: LostContent; hasCaution: boolean } = { hasCaution: false };

  constructor(options: ReadOptions, upper: TreeCursor, lower: TreeCursor) {
    this.#options = options;
    this.#upper = upper;
    this.#lower = lower;
    const { guards, signal } = options;
    this.#judging = {
      ...options,
      lost: async (entry) => (this.#current.lost ??= await lostContent(entry, (location) => guards.denied(location, 'delete'), signal)),
      caution: (entry, says) => {
        this.#current.hasCaution = true;
        this.#found.caution(entry, says);
      },
    };
  }

  async read(): Promise<ReadChanges> {
    const rest = turns(this.#options.signal);
    const found = this.#found;
    const frames: Frame[] = [{ names: this.#names(), whole: undefined }];
    for (let frame = frames.at(-1); frame !== undefined && found.unjudged === undefined; frame = frames.at(-1)) {
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
      if (frames.length > MAX_DEPTH) found.unjudged = `it made folders more than ${MAX_DEPTH} levels deep`;
      if (found.count > MAX_CHANGES) found.unjudged = `it changed more than ${MAX_CHANGES} entries one by one`;
    }
    return found.result(this.#options.relocated.size > 0);
  }

  /** The names of the folder in the upper layer, in reverse order. */
  #names(): Name[] {
    return this.#upper.names().sort(byName);
  }

  /** Reads and judges one entry. If it is a folder to descend into, returns it. */
  async #visit(frame: Frame, name: Name): Promise<Frame | undefined> {
    const now = this.#upper.stat(name);
    if (now === undefined) return undefined;
    this.#current = { hasCaution: false };
    const entry = await this.#entry(frame, name, now);
    if (isWhiteout(now) && entry.isBeside) {
      await this.#judgeDeletion(entry);
      return undefined;
    }
    const verdict = await judgeChange(ENTRY_JUDGES, entry, this.#judging);
    // If the changed permissions of a folder are withheld, its content is not.
    if (verdict?.kind === 'withheld') this.#found.withhold(entry, verdict, !entry.isMerged);
    if (verdict !== undefined && !entry.isMerged) return undefined;
    const whole = verdict === undefined ? this.#found.add(entry, frame.whole, this.#current) : frame.whole;
    return now.isDirectory() ? this.#enter(frame, entry, whole) : undefined;
  }

  /** An entry of the upper layer beside that of the workspace. */
  async #entry({ whole }: Frame, name: Name, now: BigIntStats): Promise<ChangeEntry> {
    const isBeside = whole === undefined;
    const before = isBeside ? this.#lower.stat(name) : undefined;
    const location = [...this.#upper.location, name];
    const areFolders = now.isDirectory() && before?.isDirectory() === true;
    // A hidden folder is closed.
    const isHidden = areFolders && this.#options.hidden.kindOf(location) === 'folder';
    const isMerged = areFolders && !isHidden && !(await this.#isOpaque(location, name));
    if (before !== undefined && !isMerged && !isHidden) this.#found.hasCopies = true;
    return { location, name, now, before, isBeside, isMerged, upper: this.#upper, lower: this.#lower };
  }

  async #judgeDeletion(entry: ChangeEntry): Promise<void> {
    // It was made and deleted.
    if (entry.before === undefined) return;
    const verdict = await judgeChange(DELETION_JUDGES, entry, this.#judging);
    if (verdict?.kind === 'withheld') this.#found.withhold(entry, verdict, false);
    if (verdict === undefined) this.#found.addDeleted(entry, this.#current.lost);
  }

  #enter(frame: Frame, { location, name, now, before, isMerged }: ChangeEntry, whole: NewFolder | undefined): Frame {
    if (isMerged && before !== undefined && now.mtimeNs !== before.mtimeNs && this.#options.guards.denied(location) === undefined)
      this.#found.touch({ location, before, now });
    if (!isMerged && frame.whole === undefined) this.#options.after.addWhole(bytePath(location));
    this.#upper.enter(name);
    if (isMerged) this.#lower.enter(name);
    return { names: this.#names(), whole: isMerged ? undefined : whole };
  }

  /** Whether a folder on both sides was deleted and recreated. If so, entries that only the workspace has are gone. */
  async #isOpaque(location: readonly Name[], name: Name): Promise<boolean> {
    const [upper, lower] = [this.#upper, this.#lower];
    upper.enter(name);
    lower.enter(name);
    try {
      const own = new Set(upper.names().map((one) => one.toString('latin1')));
      const before = namesIfReadable(lower);
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
}

function namesIfReadable(cursor: TreeCursor): Name[] {
  try {
    return cursor.names();
  } catch (error) {
    // The command could not read it either, so it did not delete the content.
    if (errnoOf(error) === 'EACCES') return [];
    throw error;
  }
}
