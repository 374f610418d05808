import { randomUUID } from 'node:crypto';
import { displayText } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { protectedEntry } from '../danger/protected-places.ts';
import { entriesOf, type Entry, type Folder } from '../workspace-index/folder.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { TimeSlice } from '../workspace-index/time-slice.ts';
import { behindLinks } from './behind-links.ts';
import { SecondNames } from './second-names.ts';

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

/** What is said of one folder, as long as its listing is the same. */
interface Judged {
  readonly listing: string;
  readonly findings: readonly Finding[];
  /** Paths of the links in it below whose names something may be denied. */
  readonly links: readonly string[];
  /** The names of the folders in it that are denied, as all is below one that is. */
  readonly denied: { has(name: string): boolean };
}

const EVERY_NAME: Judged['denied'] = { has: () => true };

/** What a look at the whole workspace found. */
export interface Survey {
  readonly findings: readonly Finding[];
  /** False where something could not be read, or too much lies behind links to find what is denied by their names. */
  readonly complete: boolean;
  /** The folders that could not be read, with the reason, as they can be shown. What lies in them can be anything. */
  readonly unread?: readonly string[];
}

/** A folder with these is a repository to git, whatever its name, or one of its worktrees. */
const isRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

/** Told to a person; more of them say no more. */
const MAX_UNREAD_TOLD = 5;

/**
 * Finds, before and after every command, what git executes, what is protected and what may not be read, anywhere in the
 * workspace. Folders are judged once: a look costs what changed since the last one.
 */
export class WorkspaceIndex implements Disposable {
  readonly #root: PinnedDirectory;
  readonly #rootPath: string;
  readonly #denials: Denials;
  readonly #folders: FolderIndex;
  /** Undefined where the index of folders is another's. */
  readonly #own: FolderIndex | undefined;
  readonly #secondNames = new SecondNames();
  /** A name that no rule knows: what is said of it in a folder is said of all of the folder. */
  readonly #anyName = randomUUID();
  readonly #judged = new Map<string, Judged>();
  #version = -1;
  #found: { readonly findings: readonly Finding[]; readonly links: readonly string[] } = { findings: [], links: [] };
  #running: Promise<unknown> = Promise.resolve();

  /** @param folders the index of the folders; by default one of its own */
  constructor(confinement: Confinement, denials: Denials, folders?: FolderIndex) {
    this.#root = confinement.openDirectory([]);
    this.#rootPath = confinement.root;
    this.#denials = denials;
    this.#own = folders === undefined ? new FolderIndex(confinement) : undefined;
    this.#folders = folders ?? this.#own ?? new FolderIndex(confinement);
  }

  /** Looks at the whole workspace, as it is after this call. */
  survey(): Promise<Survey> {
    const work = this.#running.then(() => this.#survey());
    this.#running = work.catch(() => {});
    return work;
  }

  [Symbol.dispose](): void {
    this.#root[Symbol.dispose]();
    this.#own?.[Symbol.dispose]();
  }

  async #survey(): Promise<Survey> {
    const slice = new TimeSlice();
    const { folders, version, unread } = await this.#folders.refresh();
    const changed = this.#folders.changedSince(this.#version);
    const isSame = version === this.#version;
    if (!isSame) await this.#judgeAgain(folders, changed, slice);
    this.#version = version;
    const { findings, links } = this.#found;
    // Not remembered: where a link leads can change without its folder.
    const behind = behindLinks({ links, self: this.#root.self, rootPath: this.#rootPath, denials: this.#denials, anyName: this.#anyName });
    const all = [...findings, ...behind.findings];
    const open = (path: string): boolean => this.#judged.get(path)?.denied !== EVERY_NAME;
    const second = await this.#secondNames.find({ self: this.#root.self, folders, open, findings: all, slice });
    const told = [...unread].map(([path, reason]) => `${displayText(utf8(path === '' ? '.' : path))} (${reason})`);
    return { findings: [...all, ...second], complete: told.length === 0 && behind.complete, unread: told.slice(0, MAX_UNREAD_TOLD) };
  }

  async #judgeAgain(folders: ReadonlyMap<string, Folder>, changed: ReadonlySet<string> | undefined, slice: TimeSlice): Promise<void> {
    if (changed === undefined) for (const path of this.#judged.keys()) if (!folders.has(path)) this.#judged.delete(path);
    for (const path of changed ?? folders.keys()) {
      const folder = folders.get(path);
      if (folder === undefined) this.#judged.delete(path);
      else if (this.#judged.get(path)?.listing !== folder.listing) this.#judged.set(path, this.#judge(path, folder));
      if (slice.isOver) await slice.next();
    }
    const all = [...this.#judged.values()].filter(({ findings, links }) => findings.length > 0 || links.length > 0);
    this.#found = { findings: all.flatMap(({ findings }) => findings), links: all.flatMap(({ links }) => links) };
  }

  #judge(path: string, folder: Folder): Judged {
    const cut = path.lastIndexOf('/');
    const above = path === '' ? undefined : this.#judged.get(path.slice(0, Math.max(cut, 0)));
    // A denied folder is kept from commands with all that is in it.
    if (above?.denied.has(path.slice(cut + 1)) === true) return { listing: folder.listing, findings: [], links: [], denied: EVERY_NAME };
    const denied = new Set<string>();
    const entries = entriesOf(folder);
    const prefix = path === '' ? '' : `${path}/`;
    const inGit = path !== '' && isRepository(new Set(entries.map(({ name }) => name)));
    const isGit = inGit || path.split('/').at(-1)?.toLowerCase() === '.git';
    const findings: Finding[] = isGit ? [{ path, kind: 'git-folder', isFolder: true }] : [];
    const links: string[] = [];
    const isLocked = this.#denials.write?.(utf8(`${prefix}${this.#anyName}`)) === true;
    if (isLocked) findings.push({ path, kind: 'locked', isFolder: true, byPlace: true });
    for (const entry of entries) {
      const below = prefix + entry.name;
      const isFolder = entry.kind === 'folder';
      const kind = this.#kindOf(below, entry);
      if (kind === 'denied' && isFolder) denied.add(entry.name);
      if (kind !== undefined)
        findings.push({ path: below, kind, isFolder, ...(kind === 'denied' ? { byPlace: !this.#denials.read(this.#elsewhere(entry)) } : {}) });
      // A folder that is locked says so itself.
      if (!isLocked && !isFolder && this.#denials.write?.(utf8(below)) === true)
        findings.push({ path: below, kind: 'locked', isFolder, byPlace: !this.#denials.write(this.#elsewhere(entry)) });
      if (entry.kind === 'link' && kind !== 'denied' && this.#denials.mayDenyBelow?.(utf8(below)) !== false) links.push(below);
    }
    return { listing: folder.listing, findings, links, denied };
  }

  #elsewhere({ name }: Entry): string {
    return utf8(`${this.#anyName}/${name}`);
  }

  #kindOf(path: string, { kind }: Entry): Finding['kind'] | undefined {
    if (this.#denials.read(utf8(path))) return 'denied';
    if (kind === 'socket') return 'socket';
    const place = protectedEntry(path);
    if (place === undefined) return undefined;
    if (!place.names.includes('.git')) return 'protected';
    // A folder speaks for itself when it is read; a file or link of this name leads git elsewhere.
    return kind === 'folder' ? undefined : 'git-pointer';
  }
}
