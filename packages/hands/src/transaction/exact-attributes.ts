import { futimesSync, utimesSync } from 'node:fs';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import type { OpaqueMarks } from '../sandbox/layers/merge-layer.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { AttributeWorker } from './attribute-worker.ts';

/** Changes to entries that Node cannot make. */
export class AttributeOrders {
  readonly #orders: Buffer[] = [];
  readonly #handles: PinnedDirectory[] = [];

  get isEmpty(): boolean {
    return this.#orders.length === 0;
  }

  /** Whether more folders can be held open. Orders for further folders are left out. */
  get hasRoom(): boolean {
    return this.#handles.length < MAX_HANDLES;
  }

  /**
   * Removes the marks at a path below the working directory: from the entry and its content (`all`), only from its content
   * (`below`), only from the folders (`folders`), or only from the entry (`itself`).
   */
  clean(path: readonly Name[], what: 'all' | 'below' | 'folders' | 'itself'): void {
    this.#add(what, joinNames('.', path));
  }

  /** Removes the marks from an open folder, but not from its content. */
  cleanHeld(folder: PinnedDirectory): void {
    this.#add('this', this.#hold(folder));
  }

  /** Sets the times of an open folder. */
  setTimes(folder: PinnedDirectory, times: Times): void {
    this.#add('times', this.#hold(folder), ...timeFields(times));
  }

  /** Gives a file the access list that another one has, or none. */
  keepList(from: PinnedDirectory, to: PinnedDirectory, name: Name): void {
    this.#add('acl', ...[from, to].map((folder) => joinNames(this.#hold(folder), [name])));
  }

  /** Runs all orders. If that is not possible, nothing happens: marks do no harm. */
  async run(worker: AttributeWorker, folder: PinnedDirectory, signal: AbortSignal): Promise<void> {
    if (!this.isEmpty) await worker.run(Buffer.concat([ordersIn(folder), ...this.#orders]), signal);
  }

  #hold(folder: PinnedDirectory): string {
    this.#handles.push(folder);
    return seenByWorker(folder);
  }

  #add(...texts: ReadonlyArray<string | Buffer>): void {
    this.#orders.push(...fields(...texts));
  }
}

/**
 * Whether a folder of a copy hides the workspace's folder at the same path. Only its attributes show this.
 *
 * @returns undefined if they cannot be read
 */
export async function isOpaque(
  worker: AttributeWorker,
  upper: PinnedDirectory,
  path: readonly Name[],
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const [reply] = (await worker.run(Buffer.concat([ordersIn(upper), ...fields('opaque', joinNames('.', path))]), signal)) ?? [];
  return reply === 'y' ? true : reply === 'n' ? false : undefined;
}

/** An entry of a layer that hides the entry below it. */
export interface Mask {
  readonly location: readonly Name[];
  readonly isFolder: boolean;
}

/**
 * Creates sockets that no program can open, and makes existing folders hide the lower ones.
 *
 * @returns whether everything succeeded
 */
export async function makeMasks(worker: AttributeWorker, layer: PinnedDirectory, masks: readonly Mask[], signal: AbortSignal): Promise<boolean> {
  const orders = masks.flatMap(({ location, isFolder }) => fields(isFolder ? 'mask' : 'socket', joinNames('.', location)));
  const replies = await worker.run(Buffer.concat([ordersIn(layer), ...orders]), signal);
  return replies?.length === masks.length && replies.every((reply) => reply === 'y');
}

/**
 * Marks names of a layer as deleted, as an overlay does.
 *
 * @returns whether everything succeeded
 */
export async function makeWhiteouts(
  worker: AttributeWorker,
  layer: PinnedDirectory,
  locations: ReadonlyArray<readonly Name[]>,
  signal: AbortSignal,
): Promise<boolean> {
  if (locations.length === 0) return true;
  const orders = locations.flatMap((location) => fields('whiteout', joinNames('.', location)));
  const replies = await worker.run(Buffer.concat([ordersIn(layer), ...orders]), signal);
  return replies?.length === locations.length && replies.every((reply) => reply === 'y');
}

/** Reads and sets the marks of folders in layers by their paths. */
export function opaqueMarks(worker: AttributeWorker): OpaqueMarks {
  return {
    has: async (layer, path, signal) => {
      using confinement = new HandleConfinement(layer);
      using folder = confinement.openDirectory([]);
      return await isOpaque(worker, folder, path, signal);
    },
    set: async (layer, location, signal) => {
      using confinement = new HandleConfinement(layer);
      using folder = confinement.openDirectory([]);
      return await makeMasks(worker, folder, [{ location, isFolder: true }], signal);
    },
  };
}

/** An entry with the times to set. */
export interface Timed {
  readonly location: readonly Name[];
  readonly times: Times;
}

/** Sets the times of entries below a folder, to the nanosecond if a worker is available. Expects the deepest entry first. */
export async function setExactTimes(worker: AttributeWorker, folder: PinnedDirectory, timed: readonly Timed[], signal: AbortSignal): Promise<void> {
  for (const { location, times } of timed) utimesSync(joinNames(folder.self, location), secondsOf(times.atimeNs), secondsOf(times.mtimeNs));
  const orders = timed.flatMap(({ location, times }) => fields('times', joinNames('.', location), ...timeFields(times)));
  if (orders.length > 0) await worker.run(Buffer.concat([ordersIn(folder), ...orders]), signal);
}

/** An open file with the time at which it was last changed. */
export interface TimedFile {
  readonly descriptor: number;
  readonly modified: bigint;
}

/** Sets the times of open files, to the nanosecond if a worker is available: only then are those that were equal equal again. */
export async function setFileTimes(worker: AttributeWorker, files: readonly TimedFile[], signal: AbortSignal): Promise<void> {
  for (const { descriptor, modified } of files) futimesSync(descriptor, secondsOf(modified), secondsOf(modified));
  const orders = files.flatMap(({ descriptor, modified }) =>
    fields('times', `/proc/${process.pid}/fd/${descriptor}`, ...timeFields({ atimeNs: modified, mtimeNs: modified })),
  );
  if (orders.length > 0) await worker.run(Buffer.concat(orders), signal);
}

interface Times {
  readonly atimeNs: bigint;
  readonly mtimeNs: bigint;
}

const timeFields = ({ atimeNs, mtimeNs }: Times): string[] =>
  [atimeNs, mtimeNs].flatMap((time) => [time / 1_000_000_000n, time % 1_000_000_000n]).map(String);

/** Makes the paths of the next orders relative to a folder. */
const ordersIn = (folder: PinnedDirectory): Buffer => Buffer.concat(fields('start', seenByWorker(folder)));

/** The path of an open folder of this process that works in other processes too. */
const seenByWorker = ({ self }: PinnedDirectory): string => `${self.replace('/proc/self/', `/proc/${process.pid}/`)}/.`;

const fields = (...texts: ReadonlyArray<string | Buffer>): Buffer[] => texts.flatMap((text) => [Buffer.from(text), NUL]);
const NUL = Buffer.from([0]);
/** Maximum number of folders to hold open. */
const MAX_HANDLES = 60;
