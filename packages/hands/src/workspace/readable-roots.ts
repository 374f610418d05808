import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayName, displayPath } from './byte-name.ts';
import { CheckedConfinement } from './checked-confinement.ts';
import type { Confinement, PinnedEntry } from './confinement.ts';
import { fileError } from './file-error.ts';
import { HandleConfinement } from './handle-confinement.ts';
import { isWithin } from './open-root.ts';
import { parseWorkspacePath } from './workspace-path.ts';

/** These are no files of anybody: they hold the environment of processes, and reading some of them acts. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

/**
 * Folders outside the workspace whose files may be read, and only read, by their absolute paths. Whoever
 * opens the hands names them; the policy still judges every file by the place it really is at.
 */
export class ReadableRoots implements Disposable {
  readonly #roots: readonly Confinement[];
  readonly #hidden: readonly string[];

  /** @param hidden folders that are not shown even so, such as those of Synapse itself */
  constructor(folders: Iterable<string>, hidden: readonly string[]) {
    this.#roots = Array.from(folders, (folder) => {
      const given = resolve(folder);
      if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true) {
        throw new SynapseError('not_found', `There is no folder ${given} to be read.`, { hint: 'Name folders that exist.' });
      }
      const real = realpathSync(given);
      return HandleConfinement.works() ? new HandleConfinement(real) : new CheckedConfinement(real);
    });
    this.#hidden = [...KERNEL_FOLDERS, ...hidden];
  }

  /** The real paths of the folders. */
  get folders(): string[] {
    return this.#roots.map(({ root }) => root);
  }

  /** Whether a path is absolute and names a place in one of the folders. Lexical: links are judged at the opening. */
  covers(path: string): boolean {
    return path.startsWith('/') && this.#rootOf(path) !== undefined;
  }

  /** Pins a place; its location is the absolute path it really is at. */
  open(path: string): PinnedEntry {
    const root = this.#rootOf(path);
    if (root === undefined) throw new SynapseError('outside_workspace', `The path ${displayName(path)} is outside the workspace.`);
    let entry: PinnedEntry;
    try {
      const below = resolve('/', path).slice(root.root === '/' ? 1 : root.root.length + 1);
      entry = root.openEntry(parseWorkspacePath(below === '' ? '.' : below, []));
    } catch (error) {
      throw fileError(error, displayName(path));
    }
    const base = root.root === '/' ? '' : root.root;
    const real = `${base}/${entry.location.length === 0 ? '' : displayPath(entry.location)}`;
    if (!this.#hidden.some((folder) => isWithin(real, folder))) {
      const [first = '', ...rest] = entry.location;
      const name = Buffer.isBuffer(first) ? Buffer.concat([Buffer.from(`${base}/`), first]) : `${base}/${first}`;
      return { location: [name, ...rest], stat: entry.stat, openForRead: () => entry.openForRead(), [Symbol.dispose]: () => entry[Symbol.dispose]() };
    }
    entry[Symbol.dispose]();
    throw new SynapseError('denied', `${displayName(path)} is not a place that can be read from here.`);
  }

  [Symbol.dispose](): void {
    for (const root of this.#roots) root[Symbol.dispose]();
  }

  #rootOf(path: string): Confinement | undefined {
    const plain = resolve('/', path);
    return this.#roots.find(({ root }) => isWithin(plain, root));
  }
}

/** The rules that let the files of these folders be read; what holds secrets still asks. */
export function readingRules(folders: readonly string[]): string[] {
  return folders.map((folder) => `read_file(/${folder === '/' ? '' : folder.replaceAll(/[*?[\]\\!# ]/gu, String.raw`\$&`)}/**)`);
}
