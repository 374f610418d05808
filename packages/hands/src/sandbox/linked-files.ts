import { lstatSync, type Stats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayName, nameFromBytes } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entriesOf, foldersIn, pathIn, type Folder } from '../workspace-index/folder.ts';
import type { FolderState } from '../workspace-index/folder-index.ts';
import { FolderTrail, throughFolder } from '../workspace-index/open-folder.ts';
import { TimeSlice } from '../events/timing.ts';
import { isWithin } from './workspace-mounts.ts';

/** Maximum number of single mounts, at about 0.1 ms each. Beyond it, whole folders of installed packages are closed. */
const MAX_PLACES = 300;
/** The maximum if the places are packages: keeping the files beside them writable is worth more time. */
const MAX_PACKAGES = 1_000;
/** Milliseconds until all files are checked again: a new name outside the workspace causes no event. */
const TRUSTED_MS = 60_000;
/** Folders that package managers fill, outermost first. */
const INSTALLED = new Set(['node_modules', '.pnpm', 'site-packages', 'dist-packages', 'vendor']);
/** The file was deleted in the meantime, or is closed to this user and so to a command. */
const UNSEEN: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** What was found in a folder. */
interface Found {
  /** Number of regular files in it, at any depth. */
  files: number;
  /** Files with a name outside, or folders in which all files have one. */
  places: string[];
  linked: number;
}

interface Linked {
  readonly name: string;
  readonly identity: string;
  readonly names: number;
}

/** The files with several names in one folder listing. */
interface Reading {
  readonly folder: Folder;
  readonly linked: readonly Linked[];
}

/**
 * Finds places in a workspace that lead out of it through hard links, as pnpm, uv and local git clones create them: a write
 * to such a file also changes it outside. Returns single files, and folders in which all files are linked.
 *
 * Each file is checked once, and again when its folder changed: a check costs as much as the changes and the linked files.
 */
export class LinkedFiles {
  readonly #root: number;
  readonly #readings = new Map<string, Reading>();
  /** Files with names outside the workspace, as of the last full check, with their number of names. */
  #outside = new Map<string, number>();
  #lookedAt = -Infinity;
  #version = -1;
  #all: Promise<void> | undefined;

  /** @param root the handle of the workspace */
  constructor(root: number) {
    this.#root = root;
  }

  /**
   * Finds the linked places.
   *
   * @throws SynapseError `too_large` if a folder cannot be read, or if there are more places than can be closed
   */
  async find({ folders, unread, version }: FolderState, slice = new TimeSlice()): Promise<string[]> {
    const [first] = unread.keys();
    if (first !== undefined) throw refusal(`${displayName(nameFromBytes(Buffer.from(first === '' ? '.' : first, 'latin1')))} cannot be read`);
    const isKnown = this.#readings.size > 0;
    for (const path of version === this.#version ? [] : this.#readings.keys()) if (!folders.has(path)) this.#readings.delete(path);
    if (version !== this.#version) await this.#read(folders, slice, (path, folder) => this.#readings.get(path)?.folder !== folder);
    this.#version = version;
    if (isKnown) await this.#read(this.#withLinks(folders), slice, () => true);
    else this.#lookedAt = performance.now();
    // A file got another name, and its first name is in a folder that did not change.
    if (isKnown && [...this.#outsideNow()].some(([identity, names]) => this.#outside.get(identity) !== names)) await this.#readAll(folders, slice);
    else if (performance.now() - this.#lookedAt > TRUSTED_MS) void this.#readAll(folders, new TimeSlice()).catch(() => {});
    this.#outside = this.#outsideNow();
    return placesToClose(this.#placesOf(folders));
  }

  /** Other names of the files in these places, which are protected by name only. As of the last check. */
  secondNames(places: readonly string[]): string[] {
    const protects = new Set(places);
    const named = [...this.#readings].flatMap(([path, { linked }]) => linked.map(({ name, identity }) => ({ path: pathIn(path, name), identity })));
    const isIn = ({ path }: { readonly path: string }): boolean => protects.has(path) || isWithin(path, protects);
    const wanted = new Set(named.filter(isIn).map(({ identity }) => identity));
    return named.filter((one) => wanted.has(one.identity) && !isIn(one)).map(({ path }) => path);
  }

  /** The folders with linked files: the number of their names can change while the folders do not. */
  #withLinks(folders: FolderState['folders']): Map<string, Folder> {
    const paths = [...this.#readings].flatMap(([path, { linked }]) => (linked.length > 0 ? [path] : []));
    return new Map(
      paths.flatMap((path) => {
        const folder = folders.get(path);
        return folder === undefined ? [] : [[path, folder] as const];
      }),
    );
  }

  /** Checks every file again. */
  #readAll(folders: FolderState['folders'], slice: TimeSlice): Promise<void> {
    return (this.#all ??= this.#read(folders, slice, () => true).finally(() => {
      this.#all = undefined;
      this.#lookedAt = performance.now();
    }));
  }

  async #read(folders: FolderState['folders'], slice: TimeSlice, wanted: (path: string, folder: Folder) => boolean): Promise<void> {
    using trail = new FolderTrail(this.#root);
    for (const [path, folder] of folders) {
      if (wanted(path, folder)) this.#readings.set(path, { folder, linked: linkedIn(trail, path, folder) });
      if (slice.isOver) await slice.next();
    }
  }

  /** The files with more names than the workspace contains, with their number of names. */
  #outsideNow(): Map<string, number> {
    const seen = new Map<string, { known: number; names: number }>();
    for (const { linked } of this.#readings.values()) {
      for (const { identity, names } of linked) {
        const before = seen.get(identity);
        if (before === undefined) seen.set(identity, { known: 1, names });
        else before.known += 1;
      }
    }
    return new Map([...seen].flatMap(([identity, { known, names }]) => (known < names ? [[identity, names] as const] : [])));
  }

  #placesOf(folders: FolderState['folders']): string[] {
    const outside = new Map<string, string[]>();
    for (const [path, { linked }] of this.#readings) {
      const own = linked.flatMap(({ name, identity }) => (this.#outside.has(identity) ? [pathIn(path, name)] : []));
      if (own.length > 0) outside.set(path, own);
    }
    return outside.size === 0 ? [] : sumUp('', folders, outside).places;
  }
}

function linkedIn(trail: FolderTrail, path: string, folder: Folder): Linked[] {
  if (!folder.listing.includes('f')) return [];
  let handle: number;
  try {
    handle = trail.open(path);
  } catch (error) {
    if (UNSEEN.has(errnoOf(error) ?? '')) return [];
    throw error;
  }
  return entriesOf(folder).flatMap(({ name, kind }) => {
    const stat = kind === 'file' ? fileAt(handle, name) : undefined;
    return stat === undefined || stat.nlink < 2 ? [] : [{ name, identity: `${stat.dev}:${stat.ino}`, names: stat.nlink }];
  });
}

function fileAt(folder: number, name: string): Stats | undefined {
  try {
    const stat = lstatSync(throughFolder(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() === true ? stat : undefined;
  } catch (error) {
    if (UNSEEN.has(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Sums up a folder. If all of its files have names outside, the folder is a single place. */
function sumUp(path: string, folders: FolderState['folders'], outside: ReadonlyMap<string, readonly string[]>): Found {
  const folder = folders.get(path);
  const own = outside.get(path) ?? [];
  if (folder === undefined) return { files: 0, places: [...own], linked: own.length };
  const found: Found = { files: entriesOf(folder).filter(({ kind }) => kind === 'file').length, places: [...own], linked: own.length };
  for (const name of foldersIn(folder)) {
    const below = sumUp(pathIn(path, name), folders, outside);
    found.files += below.files;
    found.linked += below.linked;
    found.places.push(...below.places);
  }
  return path !== '' && found.places.length > 1 && found.linked === found.files ? { ...found, places: [path] } : found;
}

/** What is closed for linked places: the places themselves or, if these are too many, the packages or installed folders around them. */
function placesToClose(places: string[]): string[] {
  if (places.length <= MAX_PLACES) return places;
  // Beside the packages there are caches that must be writable, such as node_modules/.vite-temp.
  const packages = [...new Set(places.map(packageAround))];
  const others = packages.filter((path) => !path.split('/').includes('node_modules'));
  if (packages.length <= MAX_PACKAGES && others.length <= MAX_PLACES) return packages;
  const closed = [...new Set(places.map(installedAround))];
  if (closed.length <= MAX_PLACES) return closed;
  throw refusal(`${places.length} places in it have second names outside, more than can be kept from being written through`);
}

/** The outermost package that contains a path; the installed folder or the path itself if no package does. */
function packageAround(path: string): string {
  const names = path.split('/');
  const first = names.indexOf('node_modules');
  const name = names[first + 1];
  // Packages of pnpm are one folder deeper.
  if (first === -1 || name === undefined || name === '.pnpm') return installedAround(path);
  return names.slice(0, first + (name.startsWith('@') ? 3 : 2)).join('/');
}

/** The outermost installed folder that contains a path, or the `.pnpm` folder in it; the path itself if there is none. */
function installedAround(path: string): string {
  const names = path.split('/');
  const first = names.findIndex((name) => INSTALLED.has(name));
  if (first === -1) return path;
  return names.slice(0, names[first + 1] === '.pnpm' ? first + 2 : first + 1).join('/');
}

function refusal(why: string): SynapseError {
  return new SynapseError('too_large', `The command was not run in the workspace itself, because ${why}.`, {
    hint: 'Run it without live: true, on a copy. Or have packages copied instead of linked, such as pnpm install --package-import-method copy, and repack local clones with git repack -ad.',
  });
}
