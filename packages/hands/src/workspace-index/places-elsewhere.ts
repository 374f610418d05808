import { SharedLooks, type BoundedView, type TreeView } from '../danger/tree-view.ts';
import { targetsOf, externalTargets, type FolderTargets } from '../danger/execution-targets.ts';
import type { NamedPlace } from '../danger/link-route.ts';
import { protectedEntry } from '../danger/protected-places.ts';
import { hasNoProtectedNames } from '../danger/usual-names.ts';
import { displayText } from '../workspace/byte-name.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { ElsewhereSource, NamedElsewhere } from '../workspace/named-elsewhere.ts';
import type { ChangeFeed } from './change-feed.ts';
import { entriesOf, pathIn, type Folder } from './folder.ts';
import type { FolderIndex } from './folder-index.ts';
import { foldersByName } from './folders-by-name.ts';
import { placesFromOutside, type PlacesFromOutside } from '../workspace/places-from-outside.ts';
import { recordedView } from './recorded-view.ts';
import { type Lazy, TimeSlice } from '../events/timing.ts';

/**
 * Maximum milliseconds until everything is read again: for a change without an event, such as one through a memory map, and for
 * new folders where none can be watched.
 */
const MAX_AGE_MS = 60_000;
/** Maximum milliseconds until settings outside of the workspace are read again. Only a person changes them: commands cannot write there. */
const OUTSIDE_AGE_MS = 1_000;
/** Looks at the disk for all folders of the workspace, beyond the usual ones of each: about 1 s, in turns. 2,000 links need 6,000. */
const MAX_LOOKS = 100_000;
const TOO_MANY = 'too many links and settings';
const OUTSIDE_SPENT = 'the git settings outside of it are too many to find out what they name';
/** Maximum number of paths to know of folders that are gone. With more, any path counts as one of them. */
const MAX_GONE = 100_000;
/** Maximum number of unread folders to name. */
const MAX_TOLD = 5;

/** Whether a folder may lead other programs to places outside of it: a repository, or a folder with protected places. */
function mayLead(path: string, names: readonly string[]): boolean {
  if (path === '' || path.split('/').includes('.git')) return false;
  const isBare = names.includes('HEAD') && ((names.includes('objects') && names.includes('refs')) || names.includes('commondir'));
  return isBare || names.some((name) => protectedEntry(pathIn(path, name)) !== undefined);
}

/** As {@link mayLead}, without a look at the names of most folders. */
function mayFolderLead(path: string, folder: Folder): boolean {
  if (hasNoProtectedNames(path, folder.listing) && !folder.listing.includes('HEAD')) return false;
  const names = entriesOf(folder).map(({ name }) => name);
  return mayLead(path, names);
}

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

function unreadText(unread: ReadonlyArray<readonly [path: string, reason: string]>): string {
  const told = unread.slice(0, MAX_TOLD).map(([path, reason]) => `${displayText(utf8(path === '' ? '.' : path))} (${reason})`);
  return `not everything could be read to find the repositories of the workspace: ${told.join(', ')}`;
}

/** What a folder leads to, and what was looked at to find out. */
interface Found {
  readonly places: readonly NamedPlace[];
  /** Whether there was more than could be looked at. */
  readonly isSpent: boolean;
  readonly looks: number;
  readonly seen: ReadonlySet<string>;
}

/**
 * Knows the places that folders anywhere in the workspace lead other programs to, outside of these folders: for a nested
 * repository, what its configuration names. Also what the root leads to, which is above each change. Stands on the folder index,
 * so a request costs as much as what changed since the last one.
 */
export class PlacesElsewhere implements ElsewhereSource {
  readonly #confinement: Confinement;
  readonly #index: Pick<Lazy<FolderIndex>, 'get'>;
  readonly #hadFolder: NamedElsewhere['hadFolder'];
  /** The folders that commands on the workspace itself took away, which the journal does not know. */
  readonly #gone = new Set<string>();
  readonly #now: () => number;
  /** What each such folder leads to; undefined while that is not up to date. */
  readonly #found = new Map<string, Found | undefined>();
  /** The folders to look at again after a change of a path. */
  readonly #bySeen = new Map<string, Set<string>>();
  readonly #looks = new SharedLooks(MAX_LOOKS);
  #places: readonly NamedPlace[] = [];
  #ofRoot: FolderTargets | undefined;
  /** Whether all is up to date that was found. */
  #isCurrent = false;
  #outside: PlacesFromOutside & { readonly readAt: number } = { places: [], isSpent: false, readAt: -Infinity };
  #feed: ChangeFeed | undefined;
  #version = -1;
  #readAt = -Infinity;
  #problem: string | undefined;
  #spent: string | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<NamedElsewhere> | undefined;

  /**
   * @param hadFolder whether an earlier call took a folder away from a path
   * @param now for tests
   */
  constructor(
    confinement: Confinement,
    index: Pick<Lazy<FolderIndex>, 'get'>,
    hadFolder: NamedElsewhere['hadFolder'],
    now = () => performance.now(),
  ) {
    this.#confinement = confinement;
    this.#index = index;
    this.#hadFolder = hadFolder;
    this.#now = now;
  }

  /** Whether an earlier call took a folder away from a path. */
  readonly hadFolder = (path: string): boolean => this.#gone.size >= MAX_GONE || this.#gone.has(path) || this.#hadFolder(path);

  /** Notes what a command on the workspace itself took away. */
  readonly tookFolders = (paths: Iterable<string>): void => {
    for (const path of paths) if (this.#gone.size < MAX_GONE) this.#gone.add(path);
  };

  current(): Promise<NamedElsewhere> {
    // Requests during a pending one share an answer, as in the index.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const work = this.#read();
      this.#running = work.catch(() => {});
      return work;
    });
    return this.#next;
  }

  async #read(): Promise<NamedElsewhere> {
    const isOld = this.#now() - this.#readAt >= MAX_AGE_MS;
    if (this.#confinement.tier !== 'handle') {
      if (isOld) this.#walkByName();
      this.#forgetFound();
    } else {
      const index = this.#index.get();
      // Where folders cannot be watched, each request would walk: new ones are found once a minute, known ones are always read again.
      if (isOld || index.mode?.kind !== 'walked') await this.#follow(index, isOld);
      else this.#forgetFound();
    }
    if (isOld) this.#readAt = this.#now();
    await this.#readFound();
    const outside = this.#fromOutside();
    const problem = this.#problem ?? this.#spent ?? (outside.isSpent && this.#ofRoot?.isSpent !== true ? OUTSIDE_SPENT : undefined);
    return { places: [...outside.places, ...this.#places], ofRoot: this.#ofRoot, problem, hadFolder: this.hadFolder };
  }

  /** What a configuration outside of the workspace names in it, where no event tells of a change. */
  #fromOutside(): PlacesFromOutside {
    const now = this.#now();
    if (now - this.#outside.readAt >= OUTSIDE_AGE_MS) this.#outside = { ...placesFromOutside(this.#confinement), readAt: now };
    return this.#outside;
  }

  #forgetMissing(folders: ReadonlyMap<string, unknown>): void {
    for (const path of this.#found.keys()) if (!folders.has(path)) this.#forget(path);
  }

  /** Brings the folders up to date with the index. */
  async #follow(index: FolderIndex, isOld: boolean): Promise<void> {
    this.#feed ??= index.follow((path) => this.#bySeen.has(path));
    const { folders, version, unread } = await index.look();
    const slice = new TimeSlice();
    const changed = index.changedSince(this.#version);
    const { files, all } = this.#feed.take();
    this.#version = version;
    if (changed === undefined || all || isOld) this.#forgetFound();
    if (changed === undefined) this.#forgetMissing(folders);
    for (const path of changed ?? folders.keys()) {
      const folder = folders.get(path);
      if (folder === undefined || !(path === '' || mayFolderLead(path, folder))) this.#forget(path);
      else if (!this.#found.has(path)) this.#set(path, undefined);
      this.#changed(path);
      if (slice.isOver) await slice.next();
    }
    for (const path of files.keys()) this.#changed(path);
    this.#problem = unread.size === 0 ? undefined : unreadText([...unread]);
  }

  /** Finds the folders without an index, where the system lets folders not be held open. */
  #walkByName(): void {
    for (const path of this.#found.keys()) this.#forget(path);
    this.#isCurrent = false;
    this.#withView((view) => {
      for (const [path, names] of foldersByName(view)) if (mayLead(path, names)) this.#set(path, undefined);
    });
  }

  #withView(work: (view: TreeView) => void): void {
    using root = this.#confinement.openDirectory([]);
    using view = new ConfinedView(root);
    work(view);
  }

  /** Reads what is not up to date. */
  async #readFound(): Promise<void> {
    if (this.#isCurrent) return;
    const outdated = [...this.#found].flatMap(([path, found]) => (found === undefined ? [path] : []));
    const slice = new TimeSlice();
    for (let at = 0; at < outdated.length;) {
      this.#withView((view) => {
        do {
          const path = outdated[at] ?? '';
          at += 1;
          const seen = new Set<string>();
          const bounded = this.#looks.view(recordedView(view, seen));
          const places = path === '' ? this.#readRoot(bounded) : externalTargets(bounded, this.#confinement.root, path);
          this.#looks.spend(bounded.looks());
          this.#found.set(path, { places, isSpent: path !== '' && bounded.isSpent(), looks: bounded.looks(), seen });
          for (const one of seen) this.#bySeen.set(one, (this.#bySeen.get(one) ?? new Set()).add(path));
        } while (at < outdated.length && !slice.isOver);
      });
      await slice.next();
    }
    this.#places = [...this.#found.values()].flatMap((found) => found?.places ?? []);
    const spent = [...this.#found].flatMap(([path, found]) => (found?.isSpent === true ? [[path, TOO_MANY] as const] : []));
    this.#spent = spent.length === 0 ? undefined : unreadText(spent);
    this.#isCurrent = true;
  }

  /** The root's places are judged with each change, as is that they are too many. */
  #readRoot(view: BoundedView): readonly NamedPlace[] {
    this.#ofRoot = targetsOf(view, this.#confinement.root, '', true);
    return [];
  }

  #changed(path: string): void {
    for (const folder of this.#bySeen.get(path) ?? []) this.#outdate(folder);
  }

  #outdate(folder: string): void {
    for (const one of this.#found.get(folder)?.seen ?? []) {
      const folders = this.#bySeen.get(one);
      folders?.delete(folder);
      if (folders?.size === 0) this.#bySeen.delete(one);
    }
    this.#set(folder, undefined);
  }

  #set(folder: string, found: undefined): void {
    this.#looks.giveBack(this.#found.get(folder)?.looks ?? 0);
    this.#found.set(folder, found);
    this.#isCurrent = false;
  }

  #forget(folder: string): void {
    if (!this.#found.has(folder)) return;
    this.#outdate(folder);
    this.#found.delete(folder);
    if (folder === '') this.#ofRoot = undefined;
  }

  #forgetFound(): void {
    this.#bySeen.clear();
    for (const path of this.#found.keys()) this.#set(path, undefined);
  }
}
