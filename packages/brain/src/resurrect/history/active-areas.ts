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
  /** Share of all file changes, 0 to 1. A plain count, regardless of age. */
  readonly share: number;
  /** Number of file changes. A file counts once for each change that touched it. */
  readonly fileChanges: number;
  /** Its subfolders with the most work, with their share of all file changes. */
  readonly inside: readonly { readonly folder: string; readonly share: number }[];
  /** Ids of the changes that touched it, newest first. */
  readonly changes: readonly string[];
  /** Its files, most changed first. */
  readonly files: readonly { readonly path: string; readonly changes: number }[];
}

/** Number of newer changes after which a change has half the weight. */
const HALF_LIFE_CHANGES = 12;
/** Days before the newest change after which a change has half the weight. Relative to the newest, so dormant projects work too. */
const HALF_LIFE_DAYS = 21;
const DAY_MS = 86_400_000;
/** Share of an area's work from which a subfolder replaces the area. */
const DOMINANT = 0.55;
/** Areas with a smaller share of the work are not listed. */
const NEGLIGIBLE = 0.05;
/** Maximum number of files to show for an area. */
const MAXIMUM_FILES = 5;
/** Maximum number of subfolders to show for an area. */
const MAXIMUM_INSIDE = 3;

/** Generated files, which change along with others. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock)$|(?:^|\/)(?:node_modules|vendor|third_party|dist)\/|\.(?:min\.js|map|snap)$/u;

interface Weighed {
  readonly change: Change;
  readonly paths: readonly string[];
  readonly weight: number;
}

function weigh(changes: readonly Change[]): Weighed[] {
  const newest = Math.max(...changes.map(({ time }) => time ?? Number.NEGATIVE_INFINITY));
  return changes.flatMap((change, index) => {
    const paths = change.paths.filter((path) => !GENERATED.test(path));
    if (paths.length === 0) return [];
    const days = change.time === undefined ? 0 : Math.max(0, newest - change.time) / DAY_MS;
    return [{ change, paths, weight: 0.5 ** (index / HALF_LIFE_CHANGES) * 0.5 ** (days / HALF_LIFE_DAYS) }];
  });
}

/** Returns the weight of each folder. A change divides its weight among its files, so a change to all files does not count more. */
function weighFolders(weighed: readonly Weighed[]): Map<string, number> {
  const folders = new Map<string, number>();
  for (const { paths, weight } of weighed) {
    const part = weight / paths.length;
    for (const path of paths) {
      for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
        const folder = path.slice(0, slash);
        folders.set(folder, (folders.get(folder) ?? 0) + part);
      }
    }
  }
  return folders;
}

/** Returns the direct subfolders of a folder, heaviest first. */
function children(folders: ReadonlyMap<string, number>, parent: string): [folder: string, weight: number][] {
  const prefix = parent === '' ? '' : `${parent}/`;
  return [...folders]
    .filter(([folder]) => folder.startsWith(prefix) && folder.length > prefix.length && !folder.includes('/', prefix.length))
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Descends from the top while one folder holds most of the work. */
function heaviest(folders: ReadonlyMap<string, number>, total: number): { folder: string; weight: number } {
  let at = { folder: '', weight: total };
  for (;;) {
    const inside = children(folders, at.folder);
    const [best] = inside;
    if (best === undefined) return at;
    const loose = at.weight - inside.reduce((sum, [, weight]) => sum + weight, 0);
    // The whole workspace is not a useful area. At the top the heaviest folder wins, unless the loose files are heavier.
    if (at.folder === '' && best[1] <= loose) return { folder: '', weight: loose };
    if (at.folder !== '' && best[1] < at.weight * DOMINANT) return at;
    at = { folder: best[0], weight: best[1] };
  }
}

function countFiles(weighed: readonly Weighed[], own: (path: string) => boolean): ActiveArea['files'] {
  const counts = new Map<string, number>();
  for (const path of weighed.flatMap(({ paths }) => paths.filter(own))) counts.set(path, (counts.get(path) ?? 0) + 1);
  // The sort is stable: among equally often changed files, the most recently changed come first.
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAXIMUM_FILES);
  return most.map(([path, changes]) => ({ path, changes }));
}

/** Returns the paths of changes; a path occurs once for each change that touched it. */
export function fileChanges(changes: readonly Pick<Change, 'paths'>[]): string[] {
  return changes.flatMap(({ paths }) => paths.filter((path) => !GENERATED.test(path)));
}

/**
 * Finds where the recent work happened. Newer changes count more when areas are selected; the reported numbers are plain
 * counts that can be verified.
 *
 * @param changes newest first
 * @returns at most `maximum` areas that do not overlap: the last active one, then the others by file changes
 */
export function activeAreas(changes: readonly Change[], maximum = 3): ActiveArea[] {
  const all = weigh(changes);
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const areas: ActiveArea[] = [];
  const touched = fileChanges(changes);
  const shareOf = (own: (path: string) => boolean): number => touched.filter(own).length / touched.length;
  let rest = all;
  while (areas.length < maximum && rest.length > 0) {
    const left = rest.reduce((sum, { weight }) => sum + weight, 0);
    const folders = weighFolders(rest);
    const { folder, weight } = heaviest(folders, left);
    if (areas.length > 0 && weight < total * NEGLIGIBLE) break;
    const inside = folder === '' ? [] : children(folders, folder).filter(([, weight]) => weight >= total * NEGLIGIBLE);
    // At the top, only the loose files belong to the area.
    const own = (path: string): boolean => (folder === '' ? !path.includes('/') : path.startsWith(`${folder}/`));
    const taken = areas.map((area) => area.folder);
    // An area that contains earlier ones consists of the remaining files.
    const isFree = (path: string): boolean => own(path) && !taken.some((other) => other !== '' && path.startsWith(`${other}/`));
    areas.push({
      folder,
      share: shareOf(isFree),
      fileChanges: touched.filter(isFree).length,
      inside: inside
        .slice(0, MAXIMUM_INSIDE)
        .map(([inner]) => ({ folder: inner, share: shareOf((path) => isFree(path) && path.startsWith(`${inner}/`)) }))
        .toSorted((a, b) => b.share - a.share),
      changes: rest.filter(({ paths }) => paths.some(own)).map(({ change }) => change.id),
      files: countFiles(rest, own),
    });
    rest = rest.flatMap((item) => {
      const paths = item.paths.filter((path) => !own(path));
      return paths.length === 0 ? [] : [{ ...item, paths, weight: (item.weight * paths.length) / item.paths.length }];
    });
  }
  const [first, ...others] = areas;
  return first === undefined ? [] : [first, ...others.toSorted((a, b) => b.share - a.share)];
}
