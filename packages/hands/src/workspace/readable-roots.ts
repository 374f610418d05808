import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayName, displayPath } from './byte-name.ts';
import { CheckedConfinement } from './checked-confinement.ts';
import type { Confinement, PinnedEntry } from './confinement.ts';
import { fileError } from './file-error.ts';
import { HandleConfinement } from './handle-confinement.ts';
import { parseWorkspacePath, isWithin } from './workspace-path.ts';

/** Not user files: they contain the environment of processes, and reading some of them has side effects. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

function openFolder(folder: string): Confinement {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SynapseError('not_found', `Folder not found: ${folder}`, { hint: 'Name existing folders.' });
  }
  const real = realpathSync(folder);
  return HandleConfinement.works() ? new HandleConfinement(real) : new CheckedConfinement(real);
}

/**
 * Folders outside the workspace whose files can be read, but not changed, by absolute path. Set when the hands
 * are opened. The policy still judges every file by its resolved path.
 */
export class ReadableRoots implements Disposable {
  readonly #roots: readonly Confinement[];
  readonly #hidden: readonly string[];

  /** @param hidden folders that are never shown, such as those of Synapse itself */
  constructor(folders: Iterable<string>, hidden: readonly string[]) {
    using opened = new DisposableStack();
    this.#roots = Array.from(folders, (folder) => opened.use(openFolder(resolve(folder))));
    // If one folder is missing, `using` closes those before it.
    opened.move();
    this.#hidden = [...KERNEL_FOLDERS, ...hidden];
  }

  /** The real paths of the folders. */
  get folders(): string[] {
    return this.#roots.map(({ root }) => root);
  }

  /** Whether a path is absolute and inside one of the folders. Lexical: links are judged when the path is opened. */
  covers(path: string): boolean {
    return path.startsWith('/') && this.#rootOf(path) !== undefined;
  }

  /** Pins an entry; its location is its real absolute path. */
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

/** Returns the rules that allow reading these folders. Files with secrets still need approval. */
export function readingRules(folders: readonly string[]): string[] {
  return folders.map((folder) => `read(/${folder === '/' ? '' : folder.replaceAll(/[*?[\]\\!# ]/gu, String.raw`\$&`)}/**)`);
}
