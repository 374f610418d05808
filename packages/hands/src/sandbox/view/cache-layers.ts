import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Argv } from '../../launch/launch-steps.ts';
import { until } from '../../events/timing.ts';
import { PROGRAMS } from '../../launch/programs.ts';
import { isRunning, processIdentity } from '../../workspace/process-identity.ts';
import { removeTree } from '../../workspace/remove-tree.ts';
import { tryRun } from '../try-run.ts';
import { SYSTEM_PATH } from '../find-bubblewrap.ts';
import { systemProgram } from '../../launch/system-program.ts';
import { KeptLayers, removeUnused, type KeptOptions, type WrittenLayer } from '../layers/kept-layers.ts';
import {
  BELOW,
  HELD,
  assertOutputsMounted,
  handedOver,
  keepWritten,
  noteWritten,
  notedWritten,
  writeOutputTable,
  type WrittenLayers,
} from './written-layers.ts';
import type { AppliedOutput, OutputSource } from './output-source.ts';
import { keptFolders } from './package-caches.ts';

/** The folder name contains the process id, so that folders of killed processes can be found. */
const OWNER = /^layers-(?<pid>\d+)-(?<started>\d*)-/u;
const LAYERS = 'layers-';
/** The file with the process that took layers over. */
const NEXT_OWNER = 'owner';

/** Escapes white space, `#` and backslashes as octal numbers, for a mount table. */
const inTable = (path: string): string => path.replaceAll(/[\s\\#]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** The folders above which a command gets layers. */
export interface LayeredFolders {
  /** Caches of the user that commands see. */
  readonly caches: readonly string[];
  /** The private home folder; undefined if there is none. */
  readonly home: string | undefined;
  /** What is mounted in it, relative to it. */
  readonly targets: ReadonlyArray<{ readonly path: string; readonly isFolder: boolean }>;
  /** Whether only those are needed that earlier commands of the project wrote to. */
  readonly onlyKept: boolean;
  /** Whether what the command writes is kept. */
  readonly keeps: boolean;
  /** Build output of earlier commands, for a command on the workspace itself. Default: none. */
  readonly outputs?: OutputLayers | undefined;
  /** Gets what was not kept, and why. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Ends the wait for the removal of what earlier processes left. */
  readonly signal: AbortSignal;
}

/** Build output of earlier commands, and what to do with what a command writes above it. */
export interface OutputLayers {
  readonly root: string;
  readonly shown: readonly AppliedOutput[];
  /** The command, for what is said about its build output. */
  readonly command: string;
  readonly keep: OutputSource['keep'];
}

const NO_OUTPUTS: Pick<OutputLayers, 'shown' | 'command'> = { shown: [], command: '' };

/** The layers of one command. Disposing them keeps what the command wrote to caches for later commands, or deletes it. */
export interface Layers extends AsyncDisposable {
  /** The folder to mount instead of a cache, or of the private home folder. */
  readonly source: (path: string) => string | undefined;
  /** Wraps the command line of the sandbox to mount the layers in its namespace. @param isPrepared whether a namespace already exists */
  readonly wrap: (argv: Argv, isPrepared: boolean) => Argv;
  /** Makes another process the owner: while it runs, the layers stay. */
  readonly transferOwnership: (owner: string) => void;
  /** Throws if build output could not be mounted: the command was then not run. */
  readonly assertMounted: () => void;
}

/** Options of {@link CacheLayers}. */
export interface CacheLayersOptions {
  /** Folder for what commands write while they run, outside the workspace. */
  readonly folder: string;
  /** Where the project keeps what commands wrote. Default: nothing is kept. */
  readonly kept?: KeptOptions | undefined;
  /** The variables of commands. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The home folder, by the name in {@link variables}. */
  readonly homeName: string;
}

/**
 * Layers over the private home folder and the package caches in it. A command reads the downloads of the user and writes to a layer of its
 * own. What it wrote to caches is then moved to the layers of the project, which only later commands of the project see: the user
 * and other projects never install or run what a command put there.
 */
export class CacheLayers {
  readonly #options: CacheLayersOptions;
  readonly #kept: KeptLayers | undefined;
  #works: Promise<boolean> | undefined;

  constructor(options: CacheLayersOptions) {
    this.#options = options;
    this.#kept = options.kept === undefined ? undefined : new KeptLayers(options.kept);
  }

  #homeShown({ home, onlyKept }: LayeredFolders): string | undefined {
    return this.#kept === undefined || (onlyKept && this.#kept.home === undefined) ? undefined : home;
  }

  /** Opens the layers of a command; undefined if it needs none, or if namespaces for the mounts are not possible. */
  async open(needed: LayeredFolders): Promise<Layers | undefined> {
    const { caches: all, targets, onlyKept, keeps, outputs, onNote, signal } = needed;
    const [{ folder: above, variables, homeName, kept: options }, kept, unshare] = [this.#options, this.#kept, systemProgram('unshare')];
    const shownCaches = onlyKept ? all.filter((cache) => kept?.layerOf(cache) !== undefined) : all;
    const home = this.#homeShown(needed);
    const { shown, command } = outputs ?? NO_OUTPUTS;
    if (unshare === undefined || (shownCaches.length === 0 && home === undefined && shown.length === 0)) return undefined;
    if (!(await until((this.#works ??= begin(above, options, unshare)), signal))) return undefined;
    if (home !== undefined) await kept?.makeRoom(targets);
    const folder = mkdtempSync(join(above, `${LAYERS}${processIdentity().replace(' ', '-')}-${this.#project}-`));
    const merged = new Map<string, string>();
    const written: Array<Pick<WrittenLayer, 'path' | 'only'>> = [];
    const prepare = (path: string, lower: readonly string[], only: WrittenLayer['only']): string => {
      const index = String(merged.size);
      const place = join(folder, index);
      for (const name of ['upper', 'work', 'merged']) mkdirSync(join(place, name), { recursive: true });
      // Mount options cannot escape a comma or a colon, so they use relative names.
      for (const [layer, target] of lower.entries()) symlinkSync(target, join(place, `lower${layer}`));
      if (lower.length === 0) mkdirSync(join(place, 'lower0'));
      merged.set(path, join(place, 'merged'));
      written.push({ path, only });
      return index;
    };
    const add = (path: string, lower: readonly string[], only: WrittenLayer['only']): string => {
      const index = prepare(path, lower, only);
      const lowest = Math.max(1, lower.length);
      const layers = Array.from({ length: lowest }, (_, layer) => `${index}/lower${layer}`).join(':');
      return `overlay ${inTable(join(folder, index, 'merged'))} overlay lowerdir=${layers},upperdir=${index}/upper,workdir=${index}/work,userxattr,volatile 0 0\n`;
    };
    const isThere = (path: string | undefined): path is string => path !== undefined;
    const lines = shownCaches.map((cache) => add(cache, [kept?.layerOf(cache), cache].filter(isThere), undefined));
    if (home !== undefined) lines.push(add(home, [kept?.home].filter(isThere), keptFolders(homeName, variables)));
    // What a command wrote there is no cache: it is kept by other rules.
    const caches = written.map(({ path, only }, index) => ({ path, place: String(index), ...(only === undefined ? {} : { only: [...only] }) }));
    const places = shown.map((output) => {
      const path = join(outputs?.root ?? '', output.path);
      const place = prepare(path, [output.layer, HELD], undefined);
      symlinkSync(path, join(folder, place, BELOW));
      return { place, output };
    });
    const layers: WrittenLayers = {
      version: 1,
      command,
      caches,
      outputs: places.map(({ place, output }) => ({ path: output.path, place })),
    };
    writeOutputTable(folder, places);
    writeFileSync(join(folder, 'fstab'), lines.join(''));
    const isAlone = (): boolean => !isUsed(above, this.#project, basename(folder));
    return {
      source: (path) => merged.get(path),
      wrap: (argv, isPrepared) => {
        const inside: Argv = ['/bin/sh', '-c', PROGRAMS['layers.sh'], 'sh', folder, SYSTEM_PATH, ...argv];
        return isPrepared ? inside : [unshare, '--user', '--map-root-user', '--mount', ...inside];
      },
      transferOwnership(owner) {
        // What comes back to this process is kept when its command ends.
        noteWritten(folder, keeps && owner !== processIdentity() ? layers : undefined);
        writeFileSync(join(folder, NEXT_OWNER), owner, { mode: 0o600 });
      },
      assertMounted: () => assertOutputsMounted(folder),
      async [Symbol.asyncDispose]() {
        const notes = keeps ? await keepWritten(folder, layers, { kept, isAlone, keepOutputs: outputs?.keep }) : [];
        for (const note of notes) onNote?.(note);
        try {
          await removeTree(folder);
        } catch {
          // The command has ended. The cleanup after this process removes the rest.
        }
      },
    };
  }

  /**
   * Keeps what commands of this project wrote whose process has ended before them: those that were handed over to this process, or to
   * one that has ended too. Returns what is said about it.
   */
  async keepHandedOver(keepOutputs: OutputSource['keep'] | undefined): Promise<string[]> {
    const { folder: above } = this.#options;
    const notes: string[] = [];
    for (const name of handedOver(above, this.#project)) {
      if (!(nextOwner(join(above, name)) === processIdentity() || isAbandoned(above, name))) continue;
      const written = notedWritten(join(above, name));
      if (written === undefined) continue;
      const own = `${LAYERS}${processIdentity().replace(' ', '-')}-${this.#project}-${randomUUID()}`;
      const folder = join(above, own);
      try {
        renameSync(join(above, name), folder);
      } catch {
        // Another process keeps them.
        continue;
      }
      const isAlone = (): boolean => !isUsed(above, this.#project, own);
      notes.push(...(await keepWritten(folder, written, { kept: this.#kept, isAlone, keepOutputs })));
      try {
        await removeTree(folder);
      } catch {
        // The cleanup after this process removes the rest.
      }
    }
    return notes;
  }

  /** Marks the folders of this project. */
  get #project(): string {
    return basename(this.#options.kept?.folder ?? 'none');
  }
}

/** Whether a command uses the layers of a project, other than the one with the folder `except`. */
export function isUsed(above: string, project: string, except?: string): boolean {
  const names = existsSync(above) ? readdirSync(above) : [];
  return names.some((name) => name.includes(`-${project}-`) && name !== except && !isAbandoned(above, name));
}

/** Whether the process of layers has ended, and no other took them over. */
function isAbandoned(above: string, name: string): boolean {
  const { pid, started } = OWNER.exec(name)?.groups ?? {};
  return pid !== undefined && isRunning(`${pid} ${started}`) === false && isRunning(nextOwner(join(above, name))) !== true;
}

function nextOwner(folder: string): string {
  try {
    return readFileSync(join(folder, NEXT_OWNER), 'utf8');
  } catch {
    // They were not handed over.
    return '';
  }
}

/** Milliseconds for which layers of an ended job wait for a process that opens their workspace: 30 days, as for what is kept. */
const MAX_WAIT_MS = 30 * 24 * 60 * 60 * 1000;

/** Whether layers were handed over: the next process that opens the workspace keeps them. */
function waitsToBeKept(above: string, name: string): boolean {
  const folder = join(above, name);
  const since = lstatSync(join(folder, NEXT_OWNER), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - since < MAX_WAIT_MS && notedWritten(folder) !== undefined;
}

/** Checks whether layers work, and removes those of killed processes. */
async function begin(above: string, kept: KeptOptions | undefined, unshare: string): Promise<boolean> {
  mkdirSync(above, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(above)) if (isAbandoned(above, name) && !waitsToBeKept(above, name)) await removeTree(join(above, name));
  if (kept !== undefined) await removeUnused(dirname(kept.folder), basename(kept.folder));
  const { worked } = await tryRun(unshare, ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', ':']);
  return worked;
}
