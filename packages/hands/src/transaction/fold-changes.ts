import type { FoldedFolder } from '../meaning/install-sentences.ts';
import { managerOf, packageFolder } from '../meaning/package-files.ts';
import { outputFolder } from '../policy/tool-folders.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeViews } from './overlay-view.ts';
import { countFolder, MAX_COMPARED_IN_ALL, type FolderCount } from './count-folder.ts';
import { PackageVersions } from './package-versions.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum number of entries that are named one by one, of those in folders that are otherwise counted. */
const MAX_NAMED = 50;

/** Tells which paths the repository ignores; undefined if that cannot be known here. Folders end in a slash. */
export type Ignored = (paths: readonly string[]) => Promise<ReadonlySet<string> | undefined>;

/** Changes of which those in folders of packages and of output are only counted. */
export interface FoldedChanges {
  readonly listed: readonly PlannedEntry[];
  readonly folded: readonly FoldedFolder[];
  /** Entries in those folders that a person must see: links that lead out of them, and unusual permissions. */
  readonly named: readonly WorkspacePath[];
  /** Number of such entries that are not named. */
  readonly unnamed: number;
}

/** What is needed to count changes. */
interface Folding {
  readonly area: TransactionArea;
  readonly read: Pick<ReadChanges, 'checkedOut'>;
  readonly views: Pick<ChangeViews, 'root' | 'whole' | 'before' | 'after'>;
  readonly ignored: Ignored;
  readonly signal: AbortSignal;
}

const KINDS = { added: 'added', deleted: 'deleted', changed: 'changed', metadata: 'changed' } as const;

/** The change of an entry in a folder whose content may be counted. */
interface Inside {
  readonly change: PlannedEntry;
  readonly folder: string;
}

/** The changes in folders of packages and of output. */
function changesInside(changes: readonly PlannedEntry[], { read }: Folding): Inside[] {
  const checkedOut = new Set(read.checkedOut.map(({ path }) => path));
  return changes.flatMap((change) => {
    const folder = change.isModeOnly || checkedOut.has(change.path) ? undefined : (packageFolder(change.path) ?? outputFolder(change.path));
    // A link or a file in place of the folder is none.
    return folder === undefined || (folder === change.path && change.type !== 'directory') ? [] : [{ change, folder }];
  });
}

/** What decides whether a change in a folder of packages is only counted. */
interface Known {
  readonly versions: PackageVersions;
  readonly isIgnored: boolean | undefined;
}

/**
 * Whether a change in a folder of packages is only counted: a package that is new or removed, or one that has another version now. A
 * change within an installed package that stays is none of a package manager, and its programs run it.
 */
function isOfManager({ change, folder }: Inside, { versions, isIgnored }: Known): boolean {
  const { unit, records } = managerOf(folder) ?? {};
  if (change.type === 'directory') return unit?.test(change.path) === true || (isIgnored === true && change.path === folder);
  if (records?.test(change.path) === true) return change.type === 'file';
  if (change.type === 'link') return /(?:^|\/)node_modules\/\.bin\/[^/]+$/u.test(change.path) || unit?.test(change.path) === true;
  return versions.isUpdated(change.location);
}

/** Whether a change is listed for what was counted of it. */
function staysListed({ type }: PlannedEntry, isIgnored: boolean | undefined, { packages, seen, isAltered }: FolderCount): boolean {
  if (isAltered || (isIgnored !== true && packages === 0)) return true;
  // What leads out of the folder is listed itself.
  return type !== 'directory' && seen.length > 0;
}

/** Separates the changes that are listed from those that are only counted, and counts these. */
export async function foldChanges(changes: readonly PlannedEntry[], folding: Folding): Promise<FoldedChanges> {
  const inside = changesInside(changes, folding);
  if (inside.length === 0) return { listed: changes, folded: [], named: [], unnamed: 0 };
  const folders = [...new Set(inside.map(({ folder }) => folder))];
  const known = await folding.ignored(folders.map((folder) => `${folder}/`));
  const versionsOf = new Map<string, PackageVersions>();
  const counted = new Map<string, FoldedFolder>();
  const compared = { left: MAX_COMPARED_IN_ALL };
  const named: WorkspacePath[] = [];
  let unnamed = 0;
  const away = new Set<PlannedEntry>();
  for (const { change, folder } of inside) {
    const isIgnored = known?.has(`${folder}/`);
    const isPackages = packageFolder(folder) === folder;
    // What the repository tracks is source to somebody: of that, only new folders of a package manager are counted.
    if (isIgnored !== true && !(isPackages && change.type === 'directory')) continue;
    const versions = versionsOf.get(folder) ?? new PackageVersions(folding.views, managerOf(folder));
    versionsOf.set(folder, versions);
    if (isPackages && !isOfManager({ change, folder }, { versions, isIgnored })) continue;
    const found = await countFolder(change, { ...folding, folder, versions, compared, mark: managerOf(folder)?.mark });
    if (staysListed(change, isIgnored, found)) continue;
    const { packages, seen } = found;
    away.add(change);
    const before = counted.get(folder) ?? { path: folder, files: 0, bytes: 0, packages: { added: 0, changed: 0, deleted: 0 } };
    counted.set(folder, {
      ...before,
      files: before.files + change.files,
      bytes: before.bytes + (change.now === undefined ? 0 : change.bytes),
      packages: { ...before.packages, [KINDS[change.kind]]: before.packages[KINDS[change.kind]] + packages },
      ...(isIgnored === undefined ? {} : { isIgnored }),
    });
    const room = MAX_NAMED - named.length;
    named.push(...seen.slice(0, room));
    unnamed += Math.max(0, seen.length - room);
  }
  const listed = changes.filter((change) => !away.has(change));
  return { listed, folded: [...counted.values()], named, unnamed };
}
