import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { behindLinks } from './behind-links.ts';
import { secondNames } from './second-names.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { protectedEntry } from '../danger/protected-places.ts';

/** A workspace of more folders is not looked at to its end. */
const MAX_FOLDERS = 50_000;
/** Other work gets its turn after so many milliseconds. */
const TURN_MS = 8;
/** A folder that changed this shortly before it was read may have changed again within the same tick of its clock. */
const RACY_MS = 50;

/** What the index remembers of a place. Paths are relative to the root; one character stands for one byte (latin1). */
export interface Finding {
  readonly path: string;
  readonly kind: 'git-folder' | 'git-pointer' | 'protected' | 'denied' | 'locked' | 'socket';
  readonly isFolder: boolean;
  /** For what is denied or locked: whether it is so by its place, and would no longer be below another folder. */
  readonly byPlace?: boolean;
  /** It is denied or locked under the name that a link gives it: found by its real path, which outside is absolute. */
  readonly behindLink?: 'inside' | 'outside';
}

/** What rules keep from commands; the path is relative, with `/`. */
export interface Denials {
  readonly read: (path: string) => boolean;
  /** Default: nothing. */
  readonly write?: ((path: string) => boolean) | undefined;
  /** Whether something below a place may be denied by its place, and not by its name alone. Default: it may. */
  readonly mayDenyBelow?: ((path: string) => boolean) | undefined;
}

interface Folder {
  /** Its path by way of the root's handle. */
  readonly at: Buffer;
  readonly inode: number;
  readonly modified: number;
  readonly changed: number;
  readonly readAt: number;
  /** Paths of the folders in it. */
  readonly children: readonly string[];
  /** Paths of the links in it below whose names something may be denied. */
  readonly links: readonly string[];
  readonly findings: readonly Finding[];
}

/** What a look at the whole workspace found. */
export interface Survey {
  readonly findings: readonly Finding[];
  /** False where there are more folders than are looked at, or one could not be read. */
  readonly complete: boolean;
}

const CONTENTS_OF_GIT = new Set(['objects', 'refs', 'logs', 'lfs']);

/** A folder with these is a repository to git, whatever its name, or one of its worktrees. */
const isRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

/**
 * Finds, before and after every command, what git executes, what is protected and what may not be read, anywhere in the
 * workspace. Folders are remembered: a look costs one `lstat` a folder, and reads only those that have changed.
 */
export class WorkspaceIndex implements Disposable {
  readonly #root: PinnedDirectory;
  readonly #rootPath: string;
  readonly #denials: Denials;
  /** A name that no rule knows: what is said of it in a folder is said of all of the folder. */
  readonly #anyName = randomUUID();
  #folders = new Map<string, Folder>();

  constructor(confinement: Confinement, denials: Denials) {
    this.#root = confinement.openDirectory([]);
    this.#rootPath = confinement.root;
    this.#denials = denials;
  }

  async survey(): Promise<Survey> {
    const folders = new Map<string, Folder>();
    const findings: Finding[] = [];
    const links: string[] = [];
    const queue = [''];
    let complete = true;
    let since = performance.now();
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      if (folders.size >= MAX_FOLDERS) return { findings, complete: false };
      const folder = this.#look(path);
      if (folder === 'unreadable') complete = false;
      if (typeof folder !== 'object') continue;
      folders.set(path, folder);
      findings.push(...folder.findings);
      links.push(...folder.links);
      for (const child of folder.children) queue.push(child);
      if (performance.now() - since < TURN_MS) continue;
      await turn();
      since = performance.now();
    }
    this.#folders = folders;
    // Not remembered: where a link leads can change without its folder.
    const behind = behindLinks({ links, self: this.#root.self, rootPath: this.#rootPath, denials: this.#denials, anyName: this.#anyName });
    const all = [...findings, ...behind.findings];
    return { findings: [...all, ...secondNames(this.#root.self, folders.keys(), all)], complete: complete && behind.complete };
  }

  [Symbol.dispose](): void {
    this.#root[Symbol.dispose]();
  }

  #at(path: string): Buffer {
    return Buffer.from(`${this.#root.self}/${path}`, 'latin1');
  }

  #look(path: string): Folder | 'gone' | 'unreadable' {
    const known = this.#folders.get(path);
    const at = known?.at ?? this.#at(path);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isDirectory()) return 'gone';
    if (known !== undefined && known.inode === stat.ino && known.modified === stat.mtimeMs && known.changed === stat.ctimeMs) {
      if (known.readAt - Math.max(stat.mtimeMs, stat.ctimeMs) > RACY_MS) return known;
    }
    try {
      return this.#read(path, at, stat);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return 'gone';
      // What this user may not read is closed to a command as well, unless it owns the folder and opens it.
      return stat.uid === process.getuid?.() ? 'unreadable' : 'gone';
    }
  }

  #read(path: string, at: Buffer, stat: Stats): Folder {
    const readAt = Date.now();
    const entries = readdirSync(at, { encoding: 'latin1', withFileTypes: true });
    const prefix = path === '' ? '' : `${path}/`;
    const inGit = path !== '' && isRepository(new Set(entries.map(({ name }) => name)));
    const isGit = inGit || path.split('/').at(-1)?.toLowerCase() === '.git';
    const findings: Finding[] = isGit ? [{ path, kind: 'git-folder', isFolder: true }] : [];
    const children: string[] = [];
    const links: string[] = [];
    const isLocked = this.#denials.write?.(utf8(`${prefix}${this.#anyName}`)) === true;
    if (isLocked) findings.push({ path, kind: 'locked', isFolder: true, byPlace: true });
    for (const entry of entries) {
      const below = prefix + entry.name;
      const isFolder = entry.isDirectory();
      const kind = isGit && CONTENTS_OF_GIT.has(entry.name) ? 'contents' : this.#kindOf(below, entry);
      if (kind === 'contents') continue;
      if (kind !== undefined)
        findings.push({ path: below, kind, isFolder, ...(kind === 'denied' ? { byPlace: !this.#denials.read(this.#elsewhere(entry)) } : {}) });
      // A folder that is locked says so itself.
      if (!isLocked && !isFolder && this.#denials.write?.(utf8(below)) === true)
        findings.push({ path: below, kind: 'locked', isFolder, byPlace: !this.#denials.write(this.#elsewhere(entry)) });
      if (isFolder && kind !== 'denied') children.push(below);
      if (entry.isSymbolicLink() && kind !== 'denied' && this.#denials.mayDenyBelow?.(utf8(below)) !== false) links.push(below);
    }
    return { at, inode: stat.ino, modified: stat.mtimeMs, changed: stat.ctimeMs, readAt, children, links, findings };
  }

  #elsewhere({ name }: Dirent): string {
    return utf8(`${this.#anyName}/${name}`);
  }

  #kindOf(path: string, entry: Dirent): Finding['kind'] | undefined {
    if (this.#denials.read(utf8(path))) return 'denied';
    if (entry.isSocket()) return 'socket';
    const place = protectedEntry(path);
    if (place === undefined) return undefined;
    if (!place.names.includes('.git')) return 'protected';
    // A folder speaks for itself when it is read; a file or link of this name leads git elsewhere.
    return entry.isDirectory() ? undefined : 'git-pointer';
  }
}
