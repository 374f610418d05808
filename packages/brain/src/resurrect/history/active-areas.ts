/** A change to several files: a commit, or the uncommitted changes. */
export interface Change {
  readonly id: string;
  /** Milliseconds since 1970; undefined if the date cannot be parsed. */
  readonly time: number | undefined;
  readonly paths: readonly string[];
}

/** A folder with its share of the recent work. */
export interface ActiveArea {
  /** Empty for the top folder. */
  readonly folder: string;
  /** Share of the changes that touched it, 0 to 1. A change to several areas counts for each. */
  readonly share: number;
  /** Its subfolders that the most changes touched, with their share of all changes. */
  readonly inside: readonly { readonly folder: string; readonly share: number }[];
  /** Ids of the changes that touched it, newest first. */
  readonly changes: readonly string[];
  /** Its files, most changed first. */
  readonly files: readonly { readonly path: string; readonly changes: number }[];
}

/** Number of newest changes that show where the work is. Earlier ones show where it was. */
const WINDOW = 30;
/** Share of an area's changes from which a subfolder replaces the area. */
const DOMINANT = 0.6;
/** Areas with a smaller share of the changes are not listed. */
const NEGLIGIBLE = 0.05;
/** Maximum number of files to show for an area. */
const MAXIMUM_FILES = 5;
/** Maximum number of subfolders to show for an area. */
const MAXIMUM_INSIDE = 3;

/** Files that change along with others: generated ones, and change logs. */
const ALONG =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock)$|(?:^|\/)(?:node_modules|vendor|third_party|dist)\/|\.(?:min\.js|map|snap)$|(?:^|\/)(?:change[-_ ]?log|changes|history|news|release[-_]?notes)(?:\.\w+)?$/iu;

/** Returns the newest changes that show where the work is, without the files that change along with others. */
export function recentChanges<Each extends Change>(changes: readonly Each[]): Each[] {
  return changes
    .flatMap((change) => {
      const paths = change.paths.filter((path) => !ALONG.test(path));
      return paths.length === 0 ? [] : [{ ...change, paths }];
    })
    .slice(0, WINDOW);
}

/** Returns the number of changes that touched each folder. */
function countFolders(changes: readonly Change[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { paths } of changes) {
    const folders = new Set<string>();
    for (const path of paths)
      for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) folders.add(path.slice(0, slash));
    for (const folder of folders) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

/** Returns the direct subfolders of a folder, most changed first; of equal ones, the last changed first. */
function children(counts: ReadonlyMap<string, number>, parent: string): [folder: string, changes: number][] {
  const prefix = parent === '' ? '' : `${parent}/`;
  return [...counts]
    .filter(([folder]) => folder.startsWith(prefix) && folder.length > prefix.length && !folder.includes('/', prefix.length))
    .sort((a, b) => b[1] - a[1]);
}

/** Descends from the top while one folder has most of the changes, and still more than the folders beside the way. */
function mostChanged(changes: readonly Change[]): string {
  const counts = countFolders(changes);
  const loose = changes.filter(({ paths }) => paths.some((path) => !path.includes('/'))).length;
  const [best, second] = children(counts, '');
  // The whole workspace is not a useful area. At the top the most changed folder wins, unless more changes touched loose files.
  if (best === undefined || best[1] < loose) return '';
  const rival = Math.max(loose, second?.[1] ?? 0);
  let at = { folder: best[0], changes: best[1] };
  for (;;) {
    const [inner] = children(counts, at.folder);
    if (inner === undefined || inner[1] < at.changes * DOMINANT || inner[1] < rival) return at.folder;
    at = { folder: inner[0], changes: inner[1] };
  }
}

function countFiles(changes: readonly Change[]): ActiveArea['files'] {
  const counts = new Map<string, number>();
  for (const path of changes.flatMap(({ paths }) => paths)) counts.set(path, (counts.get(path) ?? 0) + 1);
  // The sort is stable: among equally often changed files, the most recently changed come first.
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAXIMUM_FILES);
  return most.map(([path, changes]) => ({ path, changes }));
}

/** Keeps the paths that belong; changes without any are omitted. */
function keep(changes: readonly Change[], belongs: (path: string) => boolean): Change[] {
  return changes.flatMap((change) => {
    const paths = change.paths.filter(belongs);
    return paths.length === 0 ? [] : [{ ...change, paths }];
  });
}

/**
 * Finds where the recent work happened. All numbers are plain counts of changes, which can be verified.
 *
 * @param changes newest first, see {@link recentChanges}
 * @returns at most `maximum` areas that do not overlap, the most active first
 */
export function activeAreas(changes: readonly Change[], maximum = 3): ActiveArea[] {
  const areas: ActiveArea[] = [];
  let rest = keep(changes, () => true);
  while (rest.length > 0) {
    const folder = mostChanged(rest);
    // At the top, only the loose files belong to the area. An area around earlier ones consists of the remaining files.
    const own = (path: string): boolean => (folder === '' ? !path.includes('/') : path.startsWith(`${folder}/`));
    const touching = keep(rest, own);
    if (areas.length > 0 && touching.length < changes.length * NEGLIGIBLE) break;
    areas.push({
      folder,
      share: touching.length / changes.length,
      inside:
        folder === ''
          ? []
          : children(countFolders(touching), folder)
              .slice(0, MAXIMUM_INSIDE)
              .map(([inner, count]) => ({ folder: inner, share: count / changes.length }))
              .filter(({ share }) => share >= NEGLIGIBLE),
      changes: touching.map(({ id }) => id),
      files: countFiles(touching),
    });
    rest = keep(rest, (path) => !own(path));
  }
  // What is left around an earlier area may have more than the area itself. The sort is stable.
  return areas.toSorted((a, b) => b.share - a.share).slice(0, maximum);
}
