import { hash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { FileLocks } from '../../workspace/file-lock.ts';
import { size as amount, type LostPath } from '../../text/amounts.ts';
import { isRunning, processIdentity } from '../../workspace/process-identity.ts';
import { removeTree } from '../../workspace/remove-tree.ts';
import { cleanLayer, mergeLayer, type OpaqueMarks } from './merge-layer.ts';

/** Bytes that a project may keep: a Go, a Rust and a Gradle build of a large project take about this much. */
const BUDGET_BYTES = 5 * 2 ** 30;
/** Share of the free disk that a project may keep. */
const DISK_SHARE = 0.25;
/** Entries that a project may keep: file systems have a limited number of them. */
const MAX_ENTRIES = 1_000_000;
/** Milliseconds for merging what one command wrote. */
const MERGE_MS = 60_000;
/** Milliseconds after which what an unused project keeps is deleted: 30 days. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;

/** The file with the process that merges. */
const MARKER = 'merging';

const Unit = z.object({
  /** Absolute path of what commands see there. */
  path: z.string(),
  /** Path of the tree, relative to the folder of the project. */
  place: z.string().regex(/^(?:trees\/[0-9a-f]{16}|home\/.+)$/u),
  bytes: z.number(),
  entries: z.number(),
  /** ISO 8601: when a command last wrote to it. */
  usedAt: z.iso.datetime(),
});
const State = z.object({ version: z.literal(1), root: z.string(), units: z.array(Unit) });
type State = z.infer<typeof State>;

/** One folder that a project keeps, such as the build cache of Go. */
export type KeptUnit = z.infer<typeof Unit>;

/** A folder in a home folder whose content a project keeps. */
export interface KeptFolder {
  /** Relative to the home folder. */
  readonly path: string;
  /** Whether it contains one folder for each cache. */
  readonly isDivided: boolean;
}

/** What a command wrote above a folder. */
export interface WrittenLayer {
  /** The folder as commands see it. */
  readonly path: string;
  readonly upper: string;
  /** Which folders of it are kept. Undefined: all of it, above the folder of the user. */
  readonly only: readonly KeptFolder[] | undefined;
}

/** Options of {@link KeptLayers}. */
export interface KeptOptions {
  /** The folder of this project; outside the workspace. */
  readonly folder: string;
  readonly root: string;
  readonly locks: FileLocks;
  readonly marks: OpaqueMarks;
  /** Default: {@link BUDGET_BYTES}. */
  readonly budgetBytes?: number | undefined;
}

/**
 * What the commands of one project wrote to caches in the home folder. Only later commands of this project see it. A cache can be lost
 * at any time: what cannot be read, was left half merged by a killed process, or is of another version, is deleted.
 */
export class KeptLayers {
  readonly #options: KeptOptions;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  get #statePath(): string {
    return join(this.#options.folder, 'state.json');
  }

  get #marker(): string {
    return join(this.#options.folder, MARKER);
  }

  /** Maximum bytes now. */
  get budgetBytes(): number {
    const { folder, budgetBytes = BUDGET_BYTES } = this.#options;
    const above = [folder, dirname(folder), dirname(dirname(folder))].find((path) => existsSync(path)) ?? '/';
    const { bavail, bsize } = statfsSync(above);
    return Math.min(budgetBytes, Math.floor((bavail * bsize + this.#keptBytes) * DISK_SHARE));
  }

  get #keptBytes(): number {
    return this.units().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The kept folders, last used first. */
  units(): KeptUnit[] {
    return (this.#read()?.units ?? []).toSorted((one, other) => (one.usedAt < other.usedAt ? 1 : -1));
  }

  /** The layer above a cache of the user; undefined if there is none. */
  layerOf(cache: string): string | undefined {
    const place = placeOf(cache);
    return this.#read()?.units.some((unit) => unit.place === place) === true ? join(this.#options.folder, place) : undefined;
  }

  /** The kept part of the home folder; undefined if there is none. */
  get home(): string | undefined {
    const home = join(this.#options.folder, 'home');
    return this.#read() !== undefined && existsSync(home) ? home : undefined;
  }

  /** Removes kept entries of the home folder where something else is mounted, relative to it: a mount must not follow a link of a command. */
  async makeRoom(targets: ReadonlyArray<{ readonly path: string; readonly isFolder: boolean }>): Promise<void> {
    const { home } = this;
    if (home === undefined) return;
    for (const { path, isFolder } of targets) {
      const names = path.split('/');
      for (const [index] of names.entries()) {
        const at = join(home, ...names.slice(0, index + 1));
        const stat = lstatSync(at, { throwIfNoEntry: false });
        if (stat === undefined) break;
        if (stat.isDirectory() && (isFolder || index < names.length - 1)) continue;
        await removeTree(at);
        break;
      }
    }
  }

  /**
   * Keeps what a command wrote, for later commands. If it does not fit into the budget, the folders that were not used for longest are deleted.
   *
   * @param isAlone whether no other command uses the layers; otherwise nothing is deleted, and what does not fit is not kept
   * @returns what was not kept, and why
   */
  async keep(written: readonly WrittenLayer[], isAlone: () => boolean): Promise<LostPath[]> {
    const parts = written.flatMap((layer) => partsOf(layer));
    const lost: LostPath[] = [];
    if (parts.length === 0) return lost;
    const { folder, root, locks } = this.#options;
    const signal = AbortSignal.timeout(MERGE_MS);
    // The free disk changes meanwhile, and one reason for all is one sentence.
    const tooLarge = `too large or too deep, as the caches of a project may take ${amount(this.budgetBytes)}`;
    await locks.hold([`${root}\0caches`], signal, async () => {
      const state = (await this.#settled()) ?? { version: 1 as const, root, units: [] };
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#marker, processIdentity(), { mode: 0o600 });
      for (const part of parts) {
        const why = await this.#keepPart(state, part, { isAlone, signal, tooLarge });
        if (why !== undefined) lost.push({ path: part.path, why });
      }
      this.#write(state);
      rmSync(this.#marker);
    });
    return lost;
  }

  /** Deletes everything that the project keeps. */
  async clear(): Promise<void> {
    const { root, locks } = this.#options;
    await locks.hold([`${root}\0caches`], AbortSignal.timeout(MERGE_MS), async () => await this.#delete());
  }

  /** @returns why it is not kept; undefined if it is, or if nothing was written */
  async #keepPart(state: State, part: Part, { isAlone, signal, tooLarge }: Keeping): Promise<string | undefined> {
    const { folder, marks } = this.#options;
    const limits = { bytes: this.budgetBytes, entries: MAX_ENTRIES };
    const size = await cleanLayer(part.upper, limits, signal);
    if (size === undefined) return tooLarge;
    if (size.entries === 0) return undefined;
    while (isOver(state.units, size, limits)) {
      const [oldest] = state.units.toSorted((one, other) => (one.usedAt < other.usedAt ? -1 : 1));
      if (oldest === undefined) return tooLarge;
      if (!isAlone()) return 'the caches of the project are full, and other commands use them';
      await removeTree(join(folder, oldest.place));
      state.units.splice(state.units.indexOf(oldest), 1);
    }
    const tree = join(folder, part.place);
    if (!makeFolders(folder, part.place)) return 'something else was kept at its place';
    const known = state.units.find(({ place }) => place === part.place);
    const replaced = await mergeLayer(part.upper, tree, { marks, below: part.below, signal });
    const usedAt = new Date().toISOString();
    const bytes = Math.max(0, (known?.bytes ?? 0) + size.bytes - replaced.bytes);
    const entries = Math.max(0, (known?.entries ?? 0) + size.entries - replaced.entries);
    if (known === undefined) state.units.push({ path: part.path, place: part.place, bytes, entries, usedAt });
    else Object.assign(known, { bytes, entries, usedAt });
    return undefined;
  }

  /** What is kept; undefined if nothing is, or nothing that can be used. */
  #read(): State | undefined {
    let text: string;
    try {
      text = readFileSync(this.#statePath, 'utf8');
    } catch {
      // Nothing was kept yet.
      return undefined;
    }
    const state = State.safeParse(parseJson(text)).data;
    // Half of what a killed process merged may fit nothing.
    const isInterrupted = existsSync(this.#marker) && !isMerging(this.#options.folder);
    return state?.root === this.#options.root && !isInterrupted ? state : undefined;
  }

  /** The same while no other process merges. What cannot be used is deleted. */
  async #settled(): Promise<State | undefined> {
    const state = existsSync(this.#marker) ? undefined : this.#read();
    if (state === undefined) await this.#delete();
    return state;
  }

  #write(state: State): void {
    const path = this.#statePath;
    writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  async #delete(): Promise<void> {
    const { folder } = this.#options;
    // First: without it, nothing of the rest is used.
    rmSync(this.#statePath, { force: true });
    await removeTree(folder);
  }
}

/** How the parts of one command are kept. */
interface Keeping {
  readonly isAlone: () => boolean;
  readonly signal: AbortSignal;
  /** Why a part is not kept that exceeds the budget. */
  readonly tooLarge: string;
}

/** One unit of what a command wrote. */
interface Part {
  readonly path: string;
  readonly place: string;
  readonly upper: string;
  /** The folder of the user below it; undefined if there is none. */
  readonly below: string | undefined;
}

const placeOf = (cache: string): string => `trees/${hash('sha256', cache, 'hex').slice(0, 16)}`;

/** The folders of a written layer that are kept, each a unit of its own. A folder of caches is divided into its folders. */
function partsOf({ path, upper, only }: WrittenLayer): Part[] {
  if (only === undefined) return isFolder(upper) && !isEmpty(upper) ? [{ path, place: placeOf(path), upper, below: path }] : [];
  return only.flatMap((folder) => {
    const names = folder.path.split('/');
    // The folders on the way are the command's: none of them may be a link.
    if (!names.every((_, index) => isFolder(join(upper, ...names.slice(0, index + 1))))) return [];
    const all = folder.isDivided ? namesIn(join(upper, folder.path)).map((name) => `${folder.path}/${name}`) : [folder.path];
    return all.flatMap((inHome) => {
      const tree = join(upper, inHome);
      return isFolder(tree) && !isEmpty(tree) ? [{ path: join(path, inHome), place: `home/${inHome}`, upper: tree, below: undefined }] : [];
    });
  });
}

/** Names that caches have. Others would only make lists hard to read. */
const PLAIN_NAME = /^[\w.@+-]{1,100}$/u;
/** Maximum number of caches in a folder of caches. */
const MAX_CACHES = 100;

function namesIn(folder: string): string[] {
  chmodSync(folder, 0o700);
  return readdirSync(folder)
    .filter((name) => PLAIN_NAME.test(name))
    .slice(0, MAX_CACHES);
}

function isOver(units: readonly KeptUnit[], added: { bytes: number; entries: number }, limits: { bytes: number; entries: number }): boolean {
  const sum = (of: (unit: KeptUnit) => number): number => units.reduce((all, unit) => all + of(unit), 0);
  return sum(({ bytes }) => bytes) + added.bytes > limits.bytes || sum(({ entries }) => entries) + added.entries > limits.entries;
}

/** @returns false if something else is in the way */
function makeFolders(folder: string, place: string): boolean {
  let at = folder;
  for (const name of place.split('/')) {
    at = join(at, name);
    if (lstatSync(at, { throwIfNoEntry: false }) === undefined) mkdirSync(at, { mode: 0o700 });
    if (!isFolder(at)) return false;
  }
  return true;
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // In a folder that a command closed.
    return false;
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    // The command closed it. Merging opens it.
    return false;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not written by Synapse.
    return undefined;
  }
}

/** Whether a process that still runs merges into a folder. */
function isMerging(folder: string): boolean {
  try {
    return isRunning(readFileSync(join(folder, MARKER), 'utf8')) !== false;
  } catch {
    // No process does.
    return false;
  }
}

/**
 * Deletes what other projects keep that were moved, deleted, or not used for long.
 *
 * @param own the folder name of this project
 */
export async function removeUnused(caches: string, own: string, now = Date.now()): Promise<void> {
  for (const id of existsSync(caches) ? readdirSync(caches) : []) {
    if (id === own || isMerging(join(caches, id))) continue;
    const path = join(caches, id, 'state.json');
    const state = State.safeParse(parseJson(existsSync(path) ? readFileSync(path, 'utf8') : '')).data;
    const isOld = now - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > UNUSED_MS;
    if (isOld || state === undefined || !existsSync(state.root)) await removeTree(join(caches, id));
  }
}
