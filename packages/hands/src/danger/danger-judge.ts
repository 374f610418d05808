import { foldBytes } from './fold-name.ts';
import { isGitFolder, judgeOrder, looksLikeRepository, ordersIn, REPOSITORY_MARKS, type DangerReason, type Finding } from './git-orders.ts';
import { configurationsOf, isUsualPointer } from './git-pointer.ts';
import { instructionsFor } from './instructions.ts';
import { namedPlaces, type NamedPlace } from './named-places.ts';
import { holdsProtected, protectedEntry } from './protected-places.ts';
import { nameOf, parentOf, type TreeView } from './tree-view.ts';

/** What must become of a dangerous change. */
export type DangerVerdict =
  /** It must not stand unless a person says so: another program would execute it, or take its orders from it. */
  | 'quarantine'
  /** It may stand, and is told. */
  | 'report';

/** Why a change is dangerous. */
export interface Danger extends Finding {
  readonly verdict: DangerVerdict;
}

/** What changes are judged by. */
export interface DangerSources {
  /** The tree before the change. */
  readonly before: TreeView;
  /** The tree with the change, and with all that is changed together with it. */
  readonly after: TreeView;
  /** The real path of the root: some files hold absolute paths. */
  readonly rootPath: string;
}

/** What is known of a folder, for all that changed in it. */
interface Folder {
  readonly isNew: boolean;
  /** The folders of repositories that it is, or lies in; the innermost first. */
  readonly gitFolders: readonly string[];
  /** It is a repository now and was none, by what is in it. */
  readonly becameRepository: boolean;
  /** What protects it by name, and whether the folder that holds that place is new. */
  readonly protectedBy: { readonly reason: string; readonly cameAlong: boolean } | undefined;
  /** What a repository that it belongs to takes programs from. */
  readonly named: readonly NamedPlace[];
  /** A package manager fills it, and no editor or agent is started in there. */
  readonly isInstalled: boolean;
}

const quarantine = (reason: DangerReason, detail: string): Danger => ({ verdict: 'quarantine', reason, detail });
const report = (reason: DangerReason, detail: string): Danger => ({ verdict: 'report', reason, detail });

/**
 * Tells what of a change another program would execute or take orders from. The one detector: file tools, patches and
 * moves, what a command did on a copy, and what one left in the workspace are all judged by it.
 *
 * @example
 * const judge = new DangerJudge({ before, after, rootPath });
 * for (const path of changed) if (judge.judge(path)?.verdict === 'quarantine') withhold(path);
 */
export class DangerJudge {
  readonly #sources: DangerSources;
  readonly #folders = new Map<string, Folder>();

  constructor(sources: DangerSources) {
    this.#sources = sources;
  }

  /**
   * Judges one entry that was added, changed or deleted. What lies in a new folder is to be judged entry by entry.
   *
   * @param path relative to the root; one character stands for one byte (latin1)
   */
  judge(path: string): Danger | undefined {
    const folder = this.#folder(parentOf(path));
    return (
      this.#judgeGit(path, folder) ??
      this.#judgeNamed(path, folder) ??
      this.#judgeProtected(path, folder) ??
      (folder.isNew || folder.isInstalled ? undefined : this.#judgeProse(path))
    );
  }

  #judgeGit(path: string, folder: Folder): Danger | undefined {
    const { before, after, rootPath } = this.#sources;
    const isPointer = foldBytes(nameOf(path)) === '.git';
    if (!isPointer && folder.gitFolders.length === 0) return undefined;
    const isGone = after.type(path) === undefined;
    if (isPointer && !isGone) {
      // A folder speaks for itself in what is in it.
      if (after.type(path) === 'folder' || isUsualPointer(after, rootPath, path)) return undefined;
      return quarantine('git-pointer', 'leads git to another folder');
    }
    for (const git of folder.gitFolders) {
      if (isGone) {
        const isKept = /^(?:config(?:\.worktree)?$|hooks(?:\/|$))/u.test(path.slice(git.length + 1));
        if (isKept && after.type(git) === 'folder' && ordersIn(before, git).includes(path)) return quarantine('git-config', 'was taken away');
        continue;
      }
      const found = judgeOrder(path, { before, after, rootPath, folder: git });
      if (found !== undefined) return { verdict: 'quarantine', ...found };
    }
    const parent = parentOf(path);
    if (isGone || !folder.becameRepository || !REPOSITORY_MARKS.has(nameOf(path))) return undefined;
    // What was there was harmless as long as no repository was: judged as if it were new. What is new is judged by itself.
    const nothing: TreeView = { type: () => undefined, readText: () => undefined, names: () => undefined };
    const there = ordersIn(after, parent).filter((order) => before.type(order) !== undefined);
    const orders = there.map((order) => judgeOrder(order, { before: nothing, after, rootPath, folder: parent }));
    const order = orders.find((one) => one !== undefined);
    return order === undefined ? undefined : quarantine('git-repository', `makes the folder a repository, with orders to git: ${order.detail}`);
  }

  #judgeNamed(path: string, { named }: Folder): Danger | undefined {
    const found = named.find((place) => path === place.path || path.startsWith(`${place.path}/`));
    return found === undefined ? undefined : quarantine('named-by-git', `${found.setting} names it`);
  }

  #judgeProtected(path: string, folder: Folder): Danger | undefined {
    if (folder.isInstalled || folder.gitFolders.some((git) => foldBytes(nameOf(git)) === '.git')) return undefined;
    const own = protectedEntry(path);
    const isLinkToMore = own === undefined && holdsProtected(nameOf(path)) && this.#sources.after.type(path) === 'link';
    if (own?.names.includes('.git') === true) return this.#isRepositoryTakenAway(path) ? quarantine('git-repository', 'was taken away') : undefined;
    const place =
      own === undefined && !isLinkToMore
        ? folder.protectedBy
        : { reason: own?.reason ?? 'it may bring what other programs execute', cameAlong: folder.isNew };
    if (place === undefined) return undefined;
    // A project that is made or cloned brings its own: nothing was started in there yet.
    const wasThere = this.#sources.before.type(path) !== undefined;
    return place.cameAlong && !wasThere ? report('protected', place.reason) : quarantine('protected', place.reason);
  }

  /** The folder of a repository whose files stay. */
  #isRepositoryTakenAway(path: string): boolean {
    const { before, after } = this.#sources;
    return before.type(path) === 'folder' && after.type(path) === undefined && (parentOf(path) === '' || after.type(parentOf(path)) === 'folder');
  }

  #folder(path: string): Folder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = path === '' ? this.#read('', undefined) : this.#read(path, this.#folder(parentOf(path)));
    this.#folders.set(path, found);
    return found;
  }

  #read(path: string, parent: Folder | undefined): Folder {
    const { before, after, rootPath } = this.#sources;
    const isNew = before.type(path) !== 'folder' && path !== '';
    const isGit = path !== '' && (isGitFolder(after, path) || isGitFolder(before, path));
    const own = path === '' ? undefined : protectedEntry(path);
    const configurations = isNew ? [] : configurationsOf(before, rootPath, path);
    return {
      isNew,
      gitFolders: [...(isGit ? [path] : []), ...(parent?.gitFolders ?? [])],
      becameRepository: path !== '' && looksLikeRepository(after, path) && !looksLikeRepository(before, path),
      protectedBy:
        parent?.protectedBy ??
        (own === undefined || own.names.includes('.git') ? undefined : { reason: own.reason, cameAlong: this.#cameAlong(path, own.names.length) }),
      named: [...(parent?.named ?? []), ...configurations.flatMap((file) => namedPlaces(before, rootPath, file, path))],
      isInstalled: parent?.isInstalled === true || nameOf(path) === 'node_modules',
    };
  }

  /** Whether the folder that holds a protected place is new. */
  #cameAlong(path: string, names: number): boolean {
    let holder = path;
    for (let count = 0; count < names; count += 1) holder = parentOf(holder);
    return this.#folder(holder).isNew;
  }

  #judgeProse(path: string): Danger | undefined {
    const readers = instructionsFor(path);
    if (readers === undefined || this.#sources.after.type(path) === undefined) return undefined;
    return report('instructions', `read as instructions by ${readers}`);
  }
}
