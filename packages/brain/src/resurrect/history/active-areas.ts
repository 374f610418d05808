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
  /** The folders in it that most of its work was in, with their part of all recent work. */
  readonly inside: readonly { readonly folder: string; readonly share: number }[];
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
/** Less than this part of all work is no area of its own. */
const NEGLIGIBLE = 0.05;
/** Files shown of an area. */
const MAXIMUM_FILES = 5;
/** Folders shown inside an area. */
const MAXIMUM_INSIDE = 3;

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

/** What lies directly in a folder, the heaviest first. */
function children(folders: ReadonlyMap<string, number>, parent: string): [folder: string, weight: number][] {
  const prefix = parent === '' ? '' : `${parent}/`;
  return [...folders]
    .filter(([folder]) => folder.startsWith(prefix) && folder.length > prefix.length && !folder.includes('/', prefix.length))
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Goes down from the top for as long as one folder holds most of the work. */
function heaviest(folders: ReadonlyMap<string, number>, total: number): { folder: string; weight: number } {
  let at = { folder: '', weight: total };
  for (;;) {
    const inside = children(folders, at.folder);
    const [best] = inside;
    if (best === undefined) return at;
    const loose = at.weight - inside.reduce((sum, [, weight]) => sum + weight, 0);
    // The whole workspace is no answer to "where": there the best folder wins unless the loose files do.
    if (at.folder === '' && best[1] <= loose) return { folder: '', weight: loose };
    if (at.folder !== '' && best[1] < at.weight * DOMINANT) return at;
    at = { folder: best[0], weight: best[1] };
  }
}

function countFiles(weighed: readonly Weighed[], own: (path: string) => boolean): ActiveArea['files'] {
  const counts = new Map<string, number>();
  for (const path of weighed.flatMap(({ paths }) => paths.filter(own))) counts.set(path, (counts.get(path) ?? 0) + 1);
  // Stable: of equally often changed files, the most recently changed come first.
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MAXIMUM_FILES);
  return most.map(([path, changes]) => ({ path, changes }));
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
    const folders = weighFolders(rest);
    const { folder, weight } = heaviest(folders, left);
    if (areas.length > 0 && weight < total * NEGLIGIBLE) break;
    const inside = folder === '' ? [] : children(folders, folder).filter(([, weight]) => weight >= total * NEGLIGIBLE);
    // At the top, only its loose files are the area.
    const own = (path: string): boolean => (folder === '' ? !path.includes('/') : path.startsWith(`${folder}/`));
    areas.push({
      folder,
      share: weight / total,
      inside: inside.slice(0, MAXIMUM_INSIDE).map(([folder, weight]) => ({ folder, share: weight / total })),
      changes: rest.filter(({ paths }) => paths.some(own)).map(({ change }) => change.id),
      files: countFiles(rest, own),
    });
    rest = rest.flatMap((item) => {
      const paths = item.paths.filter((path) => !own(path));
      return paths.length === 0 ? [] : [{ ...item, paths, weight: (item.weight * paths.length) / item.paths.length }];
    });
  }
  return areas.toSorted((a, b) => b.share - a.share);
}
