import { randomBytes } from 'node:crypto';
import { closeSync, constants, futimesSync, openSync, unlinkSync, watch, type FSWatcher } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { throughHandle } from './open-folder.ts';
import type { TimeSlice } from './time-slice.ts';
import { eventQueueLimit } from './watchable.ts';

/** Milliseconds in which an event of our own must have come back. */
const BARRIER_MS = 2_000;
/** A share of the queue: once so many events came at once, some may have been dropped. */
const BURST_SHARE = 0.5;

/** Told of a change: in which folder, of which name where that is known, and whether names came or went or only a content changed. */
export type WatchListener = (path: string, name: string | undefined, kind: 'names' | 'content') => void;

/** A file without a name, whose own events come in line with all others. */
function markerFile(): number {
  const path = join(tmpdir(), `synapse-marker-${randomBytes(9).toString('hex')}`);
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  unlinkSync(path);
  return fd;
}

/**
 * Watches folders by inotify, one by one: a recursive watch of Node takes ten times as long and thirty times the memory.
 *
 * All watches of a process share one queue of the kernel, and what does not fit in it is dropped without an error. So a
 * burst near its limit counts as lost. Code that embeds Synapse and itself watches many files shares that queue.
 */
export class FolderWatches {
  readonly #listener: WatchListener;
  readonly #burst: number;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #marker: number;
  readonly #markerWatch: FSWatcher;
  #onMarker: (() => void) | undefined;
  #seen = 0;
  #lost = false;

  /** @param queueLimit for tests; by default what the kernel says */
  constructor(listener: WatchListener, queueLimit = eventQueueLimit()) {
    this.#listener = listener;
    this.#burst = queueLimit * BURST_SHARE;
    this.#marker = markerFile();
    try {
      this.#markerWatch = watch(throughHandle(this.#marker), { persistent: false }, () => this.#onMarker?.());
    } catch (error) {
      closeSync(this.#marker);
      throw error;
    }
    this.#markerWatch.on('error', () => (this.#lost = true));
  }

  /** Whether events were, or may have been, lost: nothing that was known of the folders counts any more. */
  get lost(): boolean {
    return this.#lost;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** Watches an open folder. Throws where the system allows no more. */
  add(path: string, handle: number): void {
    this.#watchers.get(path)?.close();
    const watcher = watch(throughHandle(handle), { persistent: false, encoding: 'latin1' }, (kind, name) => {
      this.#count();
      if (!this.#lost) this.#listener(path, name ?? undefined, kind === 'rename' ? 'names' : 'content');
    });
    watcher.on('error', () => (this.#lost = true));
    this.#watchers.set(path, watcher);
  }

  remove(path: string): void {
    const watcher = this.#watchers.get(path);
    if (watcher === undefined) return;
    this.#watchers.delete(path);
    watcher.close();
    // Its end takes a place in the queue as well.
    this.#count();
  }

  /** Waits until every event of what happened before this call was told. False where that cannot be known. */
  async barrier(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#onMarker = () => resolve(true);
    const now = Date.now() / 1000;
    futimesSync(this.#marker, now, now);
    // A loop that was blocked runs its timers before it reads events.
    const timer = setTimeout(() => void twoTurns().then(() => resolve(false)), BARRIER_MS);
    const came = await promise;
    clearTimeout(timer);
    this.#onMarker = undefined;
    return came && !this.#lost;
  }

  /** Ends all watches. */
  async close(slice: TimeSlice): Promise<void> {
    this.#lost = true;
    this.#markerWatch.close();
    closeSync(this.#marker);
    for (const [path, watcher] of this.#watchers) {
      watcher.close();
      this.#watchers.delete(path);
      if (slice.isOver) await slice.next();
    }
  }

  /** Counts events of one turn of the event loop: in one turn all are read that the queue held. */
  #count(): void {
    this.#seen += 1;
    if (this.#seen === 1) setImmediate(() => (this.#seen = 0)).unref();
    if (this.#seen >= this.#burst) this.#lost = true;
  }
}

async function twoTurns(): Promise<void> {
  await turn();
  await turn();
}
