/** A change to some files at a time: a commit, or what is not committed yet. */
export interface Change {
  readonly id: string;
  /** Milliseconds since 1970; `undefined` where the date cannot be read. */
  readonly time: number | undefined;
  readonly paths: readonly string[];
}

/** A folder with its part of the recent work. */
export interface ActiveArea {
  /** Empty for the top folder itself. */
  readonly folder: string;
  /** Of all recent work, 0 to 1. */
  readonly share: number;
  /** The changes that touched it, newest first. */
  readonly changes: readonly string[];
  /** Its files by number of changes, the most changed first. */
  readonly files: readonly { readonly path: string; readonly changes: number }[];
}

/** Changes after which an older one counts half. */
const HALF_LIFE_CHANGES = 12;
/** Days after which a change counts half, against the newest change: a dormant project has its own clock. */
const HALF_LIFE_DAYS = 21;
const DAY_MS = 86_400_000;
/** A folder inside an area replaces it when it holds this much of the area's work. */
const DOMINANT = 0.55;
/** Files shown of an area. */
const MAXIMUM_FILES = 5;

/** Files that change because others do. */
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

/** The weight of every folder: a change spreads its weight over its files, so that a sweep through all of them does not count more. */
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

const isIn = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);

/** Goes down from the top for as long as one folder holds most of the work. */
function heaviest(folders: ReadonlyMap<string, number>, total: number): { folder: string; weight: number } {
  const children = Map.groupBy(folders, ([folder]) => (folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : ''));
  let at = { folder: '', weight: total };
  for (;;) {
    const [best] = (children.get(at.folder) ?? []).toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    if (best === undefined) return at;
    const loose = at.weight - (children.get(at.folder) ?? []).reduce((sum, [, weight]) => sum + weight, 0);
    // The whole workspace is no answer to "where": there the best folder wins unless the loose files do.
    if (at.folder === '' ? best[1] <= loose : best[1] < at.weight * DOMINANT) return at;
    at = { folder: best[0], weight: best[1] };
  }
}

function describe(folder: string, share: number, weighed: readonly Weighed[], own: (path: string) => boolean): ActiveArea {
  const counts = new Map<string, number>();
  const changes: string[] = [];
  for (const { change, paths } of weighed) {
    const inside = paths.filter(own);
    if (inside.length > 0) changes.push(change.id);
    for (const path of inside) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  // Stable: of equally often changed files, the most recently changed come first.
  const files = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAXIMUM_FILES);
  return { folder, share, changes, files: files.map(([path, changes]) => ({ path, changes })) };
}

/**
 * Finds where the recent work happened.
 *
 * @param changes newest first
 * @returns at most `maximum` areas that do not overlap, the most active first
 */
export function activeAreas(changes: readonly Change[], maximum = 3): ActiveArea[] {
  const all = weigh(changes);
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  const areas: ActiveArea[] = [];
  let rest = all;
  while (areas.length < maximum && rest.length > 0) {
    const left = rest.reduce((sum, { weight }) => sum + weight, 0);
    const { folder, weight } = heaviest(weighFolders(rest), left);
    // At the top, only its loose files are the area.
    const own = folder === '' ? (path: string): boolean => !path.includes('/') : (path: string): boolean => isIn(path, folder);
    areas.push(describe(folder, weight / total, rest, own));
    rest = rest.flatMap((item) => {
      const paths = item.paths.filter((path) => !own(path));
      return paths.length === 0 ? [] : [{ ...item, paths, weight: (item.weight * paths.length) / item.paths.length }];
    });
  }
  return areas;
}
