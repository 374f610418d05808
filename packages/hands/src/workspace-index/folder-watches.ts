import { randomBytes } from 'node:crypto';
import { closeSync, constants, futimesSync, openSync, readFileSync, statfsSync, unlinkSync, watch, type FSWatcher } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { throughHandle } from './open-folder.ts';
import type { TimeSlice } from '../events/timing.ts';

/** File systems that report all changes to inotify, by statfs type (linux/magic.h). Others, such as network ones, may not. */
const WATCHABLE: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0xf2f52010, 'f2fs'],
  [0x2fc12fc1, 'zfs'],
  [0xca451a4e, 'bcachefs'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlay'],
]);

/** Whether the file system of a folder reports changes. */
export function isWatchable(path: string): boolean {
  return WATCHABLE.has(statfsSync(path).type);
}

const DEFAULT_QUEUE = 16_384;

/** Returns the number of events that the kernel queues until they are read. Further events are lost silently. */
function eventQueueLimit(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'), 10) || DEFAULT_QUEUE;
  } catch {
    // Hidden in a container: the usual default.
    return DEFAULT_QUEUE;
  }
}

/** Returns how many folders a user may watch; undefined if unknown. */
function watchLimit(): number | undefined {
  try {
    return Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'), 10) || undefined;
  } catch {
    // No inotify, or hidden in a container.
    return undefined;
  }
}

/** Escapes a path as in the mount table: whitespace and backslashes in octal. */
const escaped = (path: string): string => path.replaceAll(/[\\ \t\n]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Returns the mounts below a folder. A mount changes what is visible there without an event. */
export function mountsBelow(root: string): string {
  const prefix = `${escaped(root).replace(/\/$/u, '')}/`;
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.split(' ', 5)[4]?.startsWith(prefix) === true)
    .join('\n');
}

/** Number of watches; editors and one workspace with its dependencies use up a lower limit. */
const ENOUGH = 65_536;

/** Whether this user may watch enough folders, for `doctor`. */
export async function probeWatches(): Promise<{ readonly ok: boolean; readonly detail: string; readonly fix?: string }> {
  const limit = watchLimit();
  if (limit === undefined)
    return { ok: false, detail: 'folders cannot be watched here: each command walks the whole workspace', fix: 'Use Linux with inotify.' };
  const detail = `${limit.toLocaleString('en')} folders can be watched; a workspace with more is walked at each command`;
  return limit >= ENOUGH ? { ok: true, detail } : { ok: false, detail, fix: 'sudo sysctl fs.inotify.max_user_watches=524288' };
}

/** Milliseconds until our marker event must have arrived. */
const BARRIER_MS = 2_000;
/** Share of the queue: after a burst of that many events, some may have been dropped. */
const BURST_SHARE = 0.5;

/** Called for a change, with the folder, the name if known, and whether names or only contents changed. */
type WatchListener = (path: string, name: string | undefined, kind: 'names' | 'content') => void;

/** Opens an unlinked file whose events are queued in order with all others. */
function markerFile(): number {
  const path = join(tmpdir(), `synapse-marker-${randomBytes(9).toString('hex')}`);
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  unlinkSync(path);
  return fd;
}

/**
 * Watches folders with inotify, one by one: a recursive watch of Node takes ten times as long and thirty times the memory.
 *
 * All watches of a process share one kernel queue, which drops events without an error when it is full. So a
 * burst near its limit counts as lost. Code that embeds Synapse and itself watches many files shares that queue.
 */
export class FolderWatches {
  readonly #listener: WatchListener;
  readonly #burst: number;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Of folders that show through those. */
  readonly #below = new Map<string, FSWatcher>();
  readonly #marker: number;
  readonly #markerWatch: FSWatcher;
  #onMarker: (() => void) | undefined;
  #seen = 0;
  #lost = false;

  /** @param queueLimit for tests; default: the kernel's limit */
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

  /** Whether events were lost, or may have been: earlier knowledge of the folders is invalid. */
  get lost(): boolean {
    return this.#lost;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /**
   * Watches an open folder. Throws if the system allows no more watches.
   *
   * @param onBelow the folder shows through the one with this path, which is watched as well; called for its changes
   */
  add(path: string, handle: number, onBelow?: () => void): void {
    const watchers = onBelow === undefined ? this.#watchers : this.#below;
    watchers.get(path)?.close();
    const watcher = watch(throughHandle(handle), { persistent: false, encoding: 'latin1' }, (kind, name) => {
      this.#count();
      onBelow?.();
      if (!this.#lost) this.#listener(path, name ?? undefined, kind === 'rename' ? 'names' : 'content');
    });
    watcher.on('error', () => (this.#lost = true));
    watchers.set(path, watcher);
  }

  remove(path: string): void {
    for (const watchers of [this.#watchers, this.#below]) {
      const watcher = watchers.get(path);
      if (watcher === undefined) continue;
      watchers.delete(path);
      watcher.close();
      // The end of a watch is an event in the queue as well.
      this.#count();
    }
  }

  /** Waits until all events from before this call are delivered. Returns false if that is unknown. */
  async barrier(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#onMarker = () => resolve(true);
    const now = Date.now() / 1000;
    futimesSync(this.#marker, now, now);
    // After blocking, the event loop runs timers before it reads events.
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
    for (const watchers of [this.#watchers, this.#below]) {
      for (const [path, watcher] of watchers) {
        watcher.close();
        watchers.delete(path);
        if (slice.isOver) await slice.next();
      }
    }
  }

  /** Counts the events of one turn of the event loop, which reads the whole queue. */
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
