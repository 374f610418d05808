import { SynapseError } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import { displayText } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { protectedEntry } from '../danger/protected-places.ts';
import { hasUsualNames } from '../policy/usual-names.ts';
import { entriesOf, type Entry, type Folder } from '../workspace-index/folder.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { ASCII } from '../workspace-index/open-folder.ts';
import { TimeSlice } from '../events/timing.ts';
import { symlinkTargets } from './symlink-targets.ts';
import type { Denials, PlaceFinding } from './finding.ts';
import { LinkedFiles } from './linked-files.ts';
import { HardLinks } from './hard-links.ts';

/** The cached result for one folder, valid as long as its listing is the same. */
interface Judged {
  readonly listing: string;
  readonly findings: readonly PlaceFinding[];
  /** Paths of links in it, below which something may be denied. */
  readonly links: readonly string[];
  /** The names of denied folders in it. Everything below a denied folder is denied too. */
  readonly denied: { has(name: string): boolean };
}

const NOTHING_BEHIND: ReturnType<typeof symlinkTargets> = { findings: [], complete: true };

const EVERY_NAME: Judged['denied'] = { has: () => true };

/** The result of a survey of the whole workspace. */
export interface Survey {
  readonly findings: readonly PlaceFinding[];
  /** All folders, by path; always the same map, which keeps changing. */
  readonly folders?: ReadonlyMap<string, unknown>;
  /** False if a folder could not be read, or if there are too many entries behind links to check. */
  readonly complete: boolean;
  /** Folders that could not be read, with the reason, safe to display. They can contain anything. */
  readonly unread?: readonly string[];
  /** Whether nothing is unknown but what is in folders that their owner closed. These are denied: commands see them empty and closed. */
  readonly hidesUnread?: boolean;
}

/** A survey that was really made. */
interface MadeSurvey extends Survey {
  /** Differs after any change in the workspace; what is behind links is elsewhere. */
  readonly version: number;
}

/** The errors for a folder that this user has closed, and could open again. */
const CLOSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM']);

/** Whether git treats a folder with these names as a repository, or as the folder of a worktree. */
const isRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));

const utf8 = (path: string): string => (ASCII.test(path) ? path : Buffer.from(path, 'latin1').toString());

/** Maximum number of unreadable folders to report. */
const MAX_UNREAD_TOLD = 5;

/**
 * Finds, before and after every command, what git executes, what is protected and what must not be read, anywhere in the
 * workspace. The result for each folder is cached, so a survey costs as much as the changes since the last one.
 */
export class DeniedPathIndex implements Disposable {
  readonly #root: PinnedDirectory;
  readonly #rootPath: string;
  readonly #denials: Denials;
  readonly #folders: FolderIndex;
  /** Undefined if the folder index belongs to the caller. */
  readonly #own: FolderIndex | undefined;
  #hardLinks: HardLinks | undefined;
  #linked: LinkedFiles | undefined;
  /** A name that no rule contains: a verdict on it in a folder is the verdict on the whole folder. */
  readonly #anyName = randomUUID();
  readonly #judged = new Map<string, Judged>();
  #version = -1;
  #found: { readonly findings: readonly PlaceFinding[]; readonly links: readonly string[] } = { findings: [], links: [] };
  #running: Promise<unknown> = Promise.resolve();

  /** @param folders the folder index; default: a private one */
  constructor(confinement: Confinement, denials: Denials, folders?: FolderIndex) {
    this.#root = confinement.openDirectory([]);
    this.#rootPath = confinement.root;
    this.#denials = denials;
    this.#own = folders === undefined ? new FolderIndex(confinement) : undefined;
    this.#folders = folders ?? this.#own ?? new FolderIndex(confinement);
  }

  /** Surveys the whole workspace, including all changes before this call. */
  survey(): Promise<MadeSurvey> {
    const work = this.#running.then(() => this.#survey());
    this.#running = work.catch(() => {});
    return work;
  }

  /**
   * Finds files with hard links outside the workspace.
   *
   * @throws SynapseError `too_large` if there are more than can be protected from writes, or if a folder cannot be read
   */
  namesOutside(): Promise<string[]> {
    const work = this.#running.then(async () => {
      const { descriptor } = this.#root;
      if (descriptor === undefined) return [];
      return await (this.#linked ??= new LinkedFiles(descriptor)).find(await this.#folders.refresh());
    });
    this.#running = work.catch(() => {});
    return work;
  }

  /** Other names in the workspace of files in these places, as of the last {@link namesOutside}. */
  secondNames(places: readonly string[]): string[] {
    return this.#linked?.secondNames(places) ?? [];
  }

  [Symbol.dispose](): void {
    this.#root[Symbol.dispose]();
    this.#own?.[Symbol.dispose]();
  }

  async #survey(): Promise<MadeSurvey> {
    const { folders, version, unread } = await this.#folders.refresh();
    const changed = this.#folders.changedSince(this.#version);
    const isSame = version === this.#version;
    if (!isSame) await this.#judgeAgain(folders, changed);
    this.#version = version;
    const { findings, links } = this.#found;
    // Not cached: the target of a link can change without a change of the link's folder.
    const behind =
      links.length === 0
        ? NOTHING_BEHIND
        : symlinkTargets({ links, self: this.#root.self, rootPath: this.#rootPath, denials: this.#denials, anyName: this.#anyName });
    const closed = [...unread].filter(([path, reason]) => path !== '' && CLOSED.has(reason));
    const hidden = closed.map(([path]): PlaceFinding => ({ path, kind: 'denied', isFolder: true, byPlace: true }));
    const all = [...findings, ...behind.findings, ...hidden];
    const open = (path: string): boolean => this.#judged.get(path)?.denied !== EVERY_NAME;
    // Most workspaces have nothing denied, and then need no memory for it.
    this.#hardLinks = all.some(({ kind }) => kind === 'denied') ? (this.#hardLinks ?? new HardLinks()) : undefined;
    const second = (await this.#hardLinks?.find({ self: this.#root.self, folders, open, findings: all })) ?? [];
    const told = [...unread].map(([path, reason]) => `${displayText(utf8(path === '' ? '.' : path))} (${reason})`);
    const hidesUnread = behind.complete && closed.length === unread.size;
    return {
      findings: [...all, ...second],
      folders,
      version,
      complete: told.length === 0 && behind.complete,
      unread: told.slice(0, MAX_UNREAD_TOLD),
      hidesUnread,
    };
  }

  async #judgeAgain(folders: ReadonlyMap<string, Folder>, changed: ReadonlySet<string> | undefined): Promise<void> {
    const slice = new TimeSlice();
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

  /** Whether a link may lead to what rules deny. */
  #mayLead(path: string, entry: Entry): boolean {
    return entry.kind === 'link' && this.#denials.mayDenyBelow?.(utf8(path)) !== false;
  }

  #judge(path: string, folder: Folder): Judged {
    const cut = path.lastIndexOf('/');
    const above = path === '' ? undefined : this.#judged.get(path.slice(0, Math.max(cut, 0)));
    // A denied folder is hidden from commands with all of its content.
    if (above?.denied.has(path.slice(cut + 1)) === true) return { listing: folder.listing, findings: [], links: [], denied: EVERY_NAME };
    const judged = { listing: folder.listing, findings: [...this.#ofFolder(path, folder)], links: [] as string[], denied: new Set<string>() };
    const isLocked = judged.findings.some(({ kind }) => kind === 'locked');
    const prefix = path === '' ? '' : `${path}/`;
    for (const entry of this.#isUsual(path, folder) ? [] : entriesOf(folder)) {
      const below = prefix + entry.name;
      const kind = this.#kindOf(below, entry);
      const isFolder = entry.kind === 'folder';
      if (kind === 'denied' && isFolder) judged.denied.add(entry.name);
      if (kind !== undefined)
        judged.findings.push({ path: below, kind, isFolder, ...(kind === 'denied' ? { byPlace: !this.#denials.read(this.#elsewhere(entry)) } : {}) });
      // A locked folder has its own entry.
      if (!isLocked && !isFolder) judged.findings.push(...this.#lockedFile(below, entry));
      if (kind !== 'denied' && this.#mayLead(below, entry)) judged.links.push(below);
    }
    return judged;
  }

  /** What a folder is by itself: one of git, or one in which nothing may be written. */
  #ofFolder(path: string, folder: Folder): readonly PlaceFinding[] {
    const inGit = folder.listing.includes('HEAD') && isRepository(new Set(entriesOf(folder).map(({ name }) => name)));
    const isGit = inGit || path.split('/').at(-1)?.toLowerCase() === '.git';
    const isLocked = this.#denials.write?.(utf8(`${path === '' ? '' : `${path}/`}${this.#anyName}`)) === true;
    return [
      ...(isGit ? [{ path, kind: 'git-folder', isFolder: true } as const] : []),
      ...(isLocked ? [{ path, kind: 'locked', isFolder: true, byPlace: true } as const] : []),
    ];
  }

  #lockedFile(path: string, entry: Entry): readonly PlaceFinding[] {
    if (this.#denials.write?.(utf8(path)) !== true) return [];
    return [{ path, kind: 'locked', isFolder: false, byPlace: !this.#denials.write(this.#elsewhere(entry)) }];
  }

  /** Whether nothing directly in a folder has to be looked at: that is nearly all of them. */
  #isUsual(path: string, folder: Folder): boolean {
    return this.#denials.write === undefined && hasUsualNames(path, folder.listing) && this.#denials.readsUsualNames?.(utf8(path)) === true;
  }

  #elsewhere({ name }: Entry): string {
    return utf8(`${this.#anyName}/${name}`);
  }

  #kindOf(path: string, { kind }: Entry): PlaceFinding['kind'] | undefined {
    if (this.#denials.read(utf8(path))) return 'denied';
    if (kind === 'socket') return 'socket';
    const place = protectedEntry(path);
    if (place === undefined) return undefined;
    if (!place.names.includes('.git')) return 'protected';
    // A folder is judged when it is read. A file or link with this name redirects git.
    return kind === 'folder' ? undefined : 'git-pointer';
  }
}

/** The error if it is unknown what must be hidden from commands. No command runs then. */
export function incompleteSurvey(survey: Survey): SynapseError {
  if (survey.unread?.length) {
    return new SynapseError('too_large', `Commands do not run: not everything could be read to find what is kept from them. ${unreadText(survey)}`, {
      hint: 'Make it readable (chmod u+rwx), or delete it.',
    });
  }
  return new SynapseError('too_large', 'Commands do not run: too many entries are behind links to find what is kept from commands there.', {
    hint: 'Make the rules name the places that the links lead to, or delete the links.',
  });
}

/** The folders that a survey could not read, in one line. */
export function unreadText({ unread = [] }: Survey): string {
  return `Not read: ${unread.join(', ')}.`;
}
