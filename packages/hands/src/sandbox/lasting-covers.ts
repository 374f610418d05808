import { lstatSync, watch, type BigIntStats, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';
import type { Cover } from './workspace-mounts.ts';

function statAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // A folder on the way is closed, or no folder any more.
    return undefined;
  }
}

/**
 * With a time, because a file system may give the number of a deleted file to the next one, and a file may lose a name and get it
 * back. The last change of a folder also says what happened in it.
 */
function identityOf(stat: BigIntStats | undefined): string | undefined {
  if (stat === undefined) return undefined;
  return `${stat.dev}:${stat.ino}:${stat.isDirectory() ? stat.birthtimeNs : stat.ctimeNs}`;
}

/** Maximum number of times to cover places for one command. More than people cause; a command may move a folder back and forth. */
const MAX_TIMES = 1_000;

interface WatchedFolder {
  readonly identity: string | undefined;
  readonly watcher: FSWatcher | undefined;
}

/** Dependencies of {@link LastingCovers}. */
export interface LastingCoversParts {
  readonly root: string;
  readonly covers: readonly Cover[];
  /** Covers places in the sandbox again; resolves to false if that fails. */
  readonly cover: (lost: readonly Cover[]) => Promise<boolean>;
}

/**
 * Keeps places covered while a command works on the workspace itself. The kernel takes a mount away when another program
 * replaces or deletes what it is on, as editors and git do to save a file: a server that runs for hours could then read a secret that was
 * hidden from it, or give orders to git. Until it is remounted, the place is exposed.
 */
export class LastingCovers implements Disposable {
  readonly #parts: LastingCoversParts;
  readonly #controller = new AbortController();
  /** The names that lead to covered places, by folder. */
  readonly #names = new Map<string, Set<string>>();
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #known = new Map<Cover, string | undefined>();
  readonly #lost = new Set<Cover>();
  #times = 0;
  #isWorking = false;

  constructor(parts: LastingCoversParts) {
    this.#parts = parts;
    for (const { path } of parts.covers)
      for (let at = path; at !== parts.root; at = dirname(at)) {
        const names = this.#names.get(dirname(at)) ?? new Set();
        this.#names.set(dirname(at), names.add(basename(at)));
      }
    this.#watch();
    for (const cover of parts.covers) this.#known.set(cover, identityOf(statAt(cover.path)));
  }

  /** Aborted with the error to report when a place is open and cannot be covered. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const { watcher } of this.#folders.values()) watcher?.close();
    this.#folders.clear();
    this.#names.clear();
  }

  /** Watches the folders that are there now. */
  #watch(): void {
    for (const [path, names] of this.#names) {
      const identity = identityOf(statAt(path));
      const known = this.#folders.get(path);
      if (known !== undefined && known.identity === identity) continue;
      known?.watcher?.close();
      this.#folders.set(path, { identity, watcher: identity === undefined ? undefined : this.#open(path, names) });
    }
  }

  #open(path: string, names: ReadonlySet<string>): FSWatcher | undefined {
    try {
      const watcher = watch(path, { persistent: false }, (kind, name) => {
        if (kind === 'rename' && (name === null || names.has(name))) this.#look();
      });
      watcher.on('error', () => {});
      return watcher;
    } catch {
      // Deleted a moment ago, or the system allows no more watches: then it is as covered as when the command began.
      return undefined;
    }
  }

  #look(): void {
    if (this.#names.size === 0) return;
    // First, so that no change after the look is missed.
    this.#watch();
    for (const cover of this.#parts.covers) {
      const stat = statAt(cover.path);
      const identity = identityOf(stat);
      if (identity === this.#known.get(cover)) continue;
      this.#known.set(cover, identity);
      // A mount would follow it.
      if (stat?.isSymbolicLink() === true) return this.#controller.abort(opened(cover));
      if (stat !== undefined) this.#lost.add(cover);
    }
    if (!this.#isWorking) void this.#coverLost();
  }

  async #coverLost(): Promise<void> {
    this.#isWorking = true;
    while (this.#lost.size > 0 && !this.signal.aborted) {
      // Outer folders first: a mount hides earlier ones below it.
      const lost = this.#parts.covers.filter((cover) => this.#lost.has(cover));
      this.#lost.clear();
      this.#times += 1;
      const isCovered = this.#times <= MAX_TIMES && (await this.#cover(lost));
      if (!isCovered) for (const cover of lost.slice(0, 1)) this.#controller.abort(opened(cover));
    }
    this.#isWorking = false;
  }

  async #cover(lost: readonly Cover[]): Promise<boolean> {
    try {
      return await this.#parts.cover(lost);
    } catch {
      return false;
    }
  }
}

function opened({ path }: Cover): SynapseError {
  return new SynapseError('unavailable', `The command was ended: ${path} is closed to it, and something else replaced it meanwhile.`, {
    hint: 'Start it again.',
  });
}
