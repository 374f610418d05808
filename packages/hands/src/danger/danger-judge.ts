import {
  REPOSITORY_MARKS,
  isGitFolder,
  isUsualPointer,
  judgeOrder,
  judgeSubmodules,
  looksLikeRepository,
  ordersIn,
  type DangerFinding,
  type DangerReason,
} from './executable-git-config.ts';
import { effectsOnCommits } from './effects-on-commits.ts';
import { instructionsFor } from './instructions.ts';
import { targetsOf, type FolderTargets } from './execution-targets.ts';
import { throughLinks, PlaceLookup, type NamedPlace } from './link-route.ts';
import { foldBytes, holdsProtected, protectedEntry } from './protected-places.ts';
import { objectReplacement, replacementsIn } from './replaced-objects.ts';
import { SharedLooks, below, nameOf, parentOf, type TreeView } from './tree-view.ts';

/** What happens to a dangerous change. */
export type DangerVerdict =
  /** Rejected or removed unless the user approves it: another program would execute or obey it. */
  | 'quarantine'
  /** Kept, but reported. */
  | 'report';

/** Why a change is dangerous. */
export interface Danger extends DangerFinding {
  readonly verdict: DangerVerdict;
}

/** What is needed to judge changes. */
export interface DangerSources {
  /** The tree before the change. */
  readonly before: TreeView;
  /** The tree with the change, including everything that changes together with it. */
  readonly after: TreeView;
  /** The real path of the root: some files contain absolute paths. */
  readonly rootPath: string;
  /** The places that folders elsewhere in the workspace lead to. Without them, only folders above a change count. */
  readonly elsewhere: readonly NamedPlace[];
  /** What the root leads to in the tree before, if that is known. */
  readonly ofRoot?: FolderTargets | undefined;
  /** Whether an entry may differ between both trees. Default: all entries may. */
  readonly differs?: (path: string) => boolean;
  /** Whether an earlier change took a folder away from a path. What replaces it is not new to a person. Default: none did. */
  readonly hadFolder?: (path: string) => boolean;
}

/** Facts about a folder, for all changes in it. */
interface Folder {
  readonly isNew: boolean;
  /** The repository folders that it is, or is inside of; innermost first. */
  readonly gitFolders: readonly string[];
  /** Whether its contents made it a repository, which it was not before. */
  readonly becameRepository: boolean;
  /** What protects it by name, and whether the folder that contains the protected place is new. */
  readonly protectedBy: { readonly reason: string; readonly cameAlong: boolean } | undefined;
  /** The places from which its repositories take programs. */
  readonly named: PlaceLookup;
  /** The folder, at or above this one, of which it could not be found out what it leads to. */
  readonly unknown: string | undefined;
  /** Whether a package manager fills it, so that no editor or agent is started in it. */
  readonly isInstalled: boolean;
}

/** Looks at the disk for all folders that are judged together, beyond the usual ones: about 0.3 s. 2,000 links need 6,000. */
const MAX_LOOKS = 30_000;
const REFERENCES = /^refs(?:\/|$)/u;
const NOTHING_LED: FolderTargets = { direct: [], places: [], isSpent: false };

const quarantine = (reason: DangerReason, detail: string): Danger => ({ verdict: 'quarantine', reason, detail });
const report = (reason: DangerReason, detail: string): Danger => ({ verdict: 'report', reason, detail });

/**
 * Detects changes that another program would execute or obey. The only detector: file tools, patches, moves, the
 * changes of a command on a copy, and what a command left in the workspace are all judged by it.
 *
 * @example
 * const judge = new DangerJudge({ before, after, rootPath, elsewhere: [] });
 * for (const path of changed) if (judge.judge(path)?.verdict === 'quarantine') withhold(path);
 */
export class DangerJudge {
  readonly #sources: DangerSources;
  readonly #looks = new SharedLooks(MAX_LOOKS);
  readonly #folders = new Map<string, Folder>();
  readonly #packed = new Map<string, boolean>();

  constructor(sources: DangerSources) {
    this.#sources = sources;
  }

  /**
   * Judges one entry that was added, changed or deleted. The entries of a new folder must be judged one by one.
   *
   * @param path relative to the root, with one character per byte (latin1)
   */
  judge(path: string): Danger | undefined {
    const folder = this.#folder(parentOf(path));
    return (
      this.#judgeGit(path, folder) ??
      this.#judgeNamed(path, folder) ??
      this.#judgeUnknown(folder) ??
      this.#judgeProtected(path, folder) ??
      this.#judgeEffects(path, folder) ??
      (folder.isNew || folder.isInstalled ? undefined : this.#judgeProse(path))
    );
  }

  #judgeGit(path: string, folder: Folder): Danger | undefined {
    const { before, after, rootPath } = this.#sources;
    const submodules = foldBytes(nameOf(path)) === '.gitmodules' && !folder.isInstalled ? judgeSubmodules(path, { before, after }) : undefined;
    if (submodules !== undefined) return { verdict: 'quarantine', ...submodules };
    const isPointer = foldBytes(nameOf(path)) === '.git';
    if (!isPointer && folder.gitFolders.length === 0) return undefined;
    const isGone = after.type(path) === undefined;
    if (isPointer && !isGone) {
      // A folder is judged by its contents.
      if (after.type(path) === 'folder' || isUsualPointer(after, rootPath, path)) return undefined;
      return quarantine('git-pointer', 'leads git to another folder');
    }
    if (isGone) return folder.gitFolders.map((git) => this.#judgeRemoval(path, git)).find((danger) => danger !== undefined);
    for (const git of folder.gitFolders) {
      const found = judgeOrder(path, { before, after, rootPath, folder: git });
      if (found !== undefined) return { verdict: 'quarantine', ...found };
    }
    return folder.becameRepository && REPOSITORY_MARKS.has(nameOf(path)) ? this.#judgeNewRepository(parentOf(path)) : undefined;
  }

  /** Judges what only changes the next commits and pushes. */
  #judgeEffects(path: string, { gitFolders }: Folder): Danger | undefined {
    const { before, after, rootPath } = this.#sources;
    for (const git of gitFolders) {
      const effects = effectsOnCommits(path, { before, after, rootPath, folder: git });
      if (effects.length > 0) return report('git-config', effects.join(', '));
    }
    return undefined;
  }

  /** Judges what is removed from a folder of git. */
  #judgeRemoval(path: string, git: string): Danger | undefined {
    const { before, after } = this.#sources;
    const isKept = /^(?:config(?:\.worktree)?$|hooks(?:\/|$))/u.test(below(git, path));
    if (isKept && after.type(git) === 'folder' && ordersIn(before, git).some((order) => order === path || order.startsWith(`${path}/`)))
      return quarantine('git-config', 'git obeys it, and it is removed');
    const isReference = REFERENCES.test(below(git, path));
    return isReference && this.#keepsPacked(git) ? quarantine('git-pointer', 'it stays, as packed-refs does') : undefined;
  }

  #judgeNewRepository(folder: string): Danger | undefined {
    const { before, after, rootPath } = this.#sources;
    // Existing files were harmless before the folder was a repository, so they are judged as if new. New files are judged separately.
    const nothing: TreeView = {
      type: () => undefined,
      readText: () => undefined,
      readBytes: () => undefined,
      linkText: () => undefined,
      names: () => undefined,
    };
    const there = [...ordersIn(after, folder), ...replacementsIn(after, folder)].filter((order) => before.type(order) !== undefined);
    const orders = there.map((order) => judgeOrder(order, { before: nothing, after, rootPath, folder }));
    const order = orders.find((one) => one !== undefined);
    return order === undefined ? undefined : quarantine('git-repository', `makes the folder a repository, with orders to git: ${order.detail}`);
  }

  /** Whether the list of packed references is withheld: those that were put into it would else be lost. */
  #keepsPacked(git: string): boolean {
    const { before, after } = this.#sources;
    const known = this.#packed.get(git) ?? objectReplacement('packed-refs', { before, after, folder: git }) !== undefined;
    this.#packed.set(git, known);
    return known;
  }

  #judgeNamed(path: string, { named }: Folder): Danger | undefined {
    const { before, after } = this.#sources;
    const isIn = (one: string, folder: string): boolean => one === folder || one.startsWith(`${folder}/`);
    const found = named.covering(path);
    if (found !== undefined) return quarantine('named-by-git', `${found.setting} names it`);
    // Some names count only while a file has them, so without it something else could take its place.
    const isLost = (place: NamedPlace): boolean => !(place.holder !== undefined && isIn(place.holder, path)) && before.type(place.path) !== undefined;
    // Looked up at the first place below it, because few changes contain one.
    let isGone: boolean | undefined;
    const lost = named.findBelow(path, (place) => (isGone ??= after.type(path) === undefined) && isLost(place));
    return lost === undefined ? undefined : quarantine('named-by-git', `${lost.setting} names what is in it`);
  }

  /** The settings and links of a folder can be so many that looking at each of them would hold every change for a long time. */
  #judgeUnknown({ unknown }: Folder): Danger | undefined {
    if (unknown === undefined) return undefined;
    const place =
      unknown === ''
        ? 'the workspace'
        : Buffer.from(unknown, 'latin1')
            .toString()
            .replaceAll(/[^\x20-\x7e]/gu, '?');
    return quarantine('named-by-git', `the git settings and links of ${place} are too many to find out whether they name it`);
  }

  #judgeProtected(path: string, folder: Folder): Danger | undefined {
    if (folder.isInstalled || folder.gitFolders.some((git) => foldBytes(nameOf(git)) === '.git')) return undefined;
    const own = protectedEntry(path);
    if (own?.names.includes('.git') === true)
      return this.#isRepositoryTakenAway(path) ? quarantine('git-repository', 'the repository is removed, and its files stay') : undefined;
    const place = this.#protectedPlace(path, own) ?? folder.protectedBy;
    if (place === undefined) return undefined;
    // A new or cloned project brings such files with it: no program was started in it yet.
    const wasThere = this.#sources.before.type(path) !== undefined;
    return place.cameAlong && !wasThere ? report('protected', place.reason) : quarantine('protected', place.reason);
  }

  /** What protects an entry itself by its name; undefined if nothing does. */
  #protectedPlace(path: string, own: ReturnType<typeof protectedEntry>): Folder['protectedBy'] {
    if (own !== undefined) return { reason: own.reason, cameAlong: this.#cameAlong(path, own.names.length) };
    const isLinkToMore = holdsProtected(nameOf(path)) && this.#sources.after.type(path) === 'link';
    return isLinkToMore ? { reason: 'it may bring what other programs execute', cameAlong: this.#cameAlong(path, 1) } : undefined;
  }

  /** Whether the folder of a repository was removed while its files stay. */
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

  /** The repository folders that a folder is, or is inside of; innermost first. */
  #gitFolders(path: string, parent: Folder | undefined): readonly string[] {
    const { before, after } = this.#sources;
    const above = parent?.gitFolders ?? [];
    return isGitFolder(after, path) || isGitFolder(before, path) ? [path, ...above] : above;
  }

  /** The places to which a folder leads programs: before the change, and by the links that may differ after it. */
  #placesNamed(path: string, { direct, places, isSpent }: FolderTargets): { readonly named: readonly NamedPlace[]; readonly isSpent: boolean } {
    const { after, rootPath, elsewhere } = this.#sources;
    // Also the way to them: a new link can lead elsewhere. Those elsewhere were followed in the tree before.
    const outer = path === '' ? elsewhere : [];
    const followed = [...(places.some((place) => this.#mayLeadOn(place)) ? direct : []), ...outer.filter((place) => this.#mayLeadOn(place))];
    const now = this.#looks.view(after);
    const named = [...places, ...outer, ...throughLinks(now, rootPath, followed)];
    this.#looks.spend(now.looks());
    return { named, isSpent: isSpent || now.isSpent() };
  }

  #read(path: string, parent: Folder | undefined): Folder {
    const { before, after } = this.#sources;
    const isNew = before.type(path) !== 'folder' && path !== '';
    const gitFolders = this.#gitFolders(path, parent);
    const isInstalled = parent?.isInstalled === true || nameOf(path) === 'node_modules';
    // Not what only looks like a repository: three harmless entries would hide the links of a real one. No program is started in
    // installed packages.
    const hasLinks = !isInstalled && !gitFolders.some((git) => foldBytes(nameOf(git)) === '.git');
    const { named, isSpent } = this.#placesNamed(path, isNew ? NOTHING_LED : this.#leadsBefore(path, hasLinks));
    return {
      isNew,
      gitFolders,
      becameRepository: gitFolders[0] === path && looksLikeRepository(after, path) && !looksLikeRepository(before, path),
      protectedBy: parent?.protectedBy ?? this.#protectedBy(path),
      named: parent === undefined || named.length > 0 ? new PlaceLookup(named, parent?.named) : parent.named,
      unknown: isSpent ? path : parent?.unknown,
      isInstalled,
    };
  }

  #protectedBy(path: string): Folder['protectedBy'] {
    const own = path === '' ? undefined : protectedEntry(path);
    if (own === undefined || own.names.includes('.git')) return undefined;
    return { reason: own.reason, cameAlong: this.#cameAlong(path, own.names.length) };
  }

  #leadsBefore(path: string, hasLinks: boolean): FolderTargets {
    const { before, rootPath, ofRoot } = this.#sources;
    if (path === '' && ofRoot !== undefined) return ofRoot;
    const view = this.#looks.view(before);
    const leads = targetsOf(view, rootPath, path, hasLinks);
    this.#looks.spend(view.looks());
    return leads;
  }

  /** Whether the way to a place may differ after the change. */
  #mayLeadOn({ path }: NamedPlace): boolean {
    const { differs } = this.#sources;
    if (differs === undefined) return true;
    for (let at = path; at !== ''; at = parentOf(at)) if (differs(at)) return true;
    return false;
  }

  /** Whether the folder that contains a protected place is new, also to a person. */
  #cameAlong(path: string, names: number): boolean {
    let holder = path;
    for (let count = 0; count < names; count += 1) holder = parentOf(holder);
    if (!this.#folder(holder).isNew) return false;
    for (let at = holder; at !== '' && this.#folder(at).isNew; at = parentOf(at)) if (this.#sources.hadFolder?.(at) === true) return false;
    return true;
  }

  #judgeProse(path: string): Danger | undefined {
    const readers = instructionsFor(path);
    if (readers === undefined || this.#sources.after.type(path) === undefined) return undefined;
    return report('instructions', `read as instructions by ${readers}`);
  }
}
