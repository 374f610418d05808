import type { Finding } from './workspace-index.ts';

/** A place that must stay where it is, or as it is. */
export interface KeptPlace {
  readonly path: string;
  readonly kind: 'writable' | 'read-only';
}

function ancestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a place is one of these, or lies in one. */
export function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  return folders.has('') || folders.has(path) || ancestors(path).some((folder) => folders.has(folder));
}

/** The folders in which nothing may be written. */
export function lockedFolders(findings: readonly Finding[]): ReadonlySet<string> {
  return new Set(findings.flatMap(({ path, kind, isFolder }) => (kind === 'locked' && isFolder ? [path] : [])));
}

/**
 * What rules deny writing, read-only; and each folder by whose name something is denied, mounted on itself: renamed, it would
 * take a file to where no rule knows it. From the top down, as a mount hides what was mounted below it before.
 */
export function keptPlaces(findings: readonly Finding[]): KeptPlace[] {
  const locked = lockedFolders(findings);
  const places = new Map<string, KeptPlace['kind']>();
  const parents = (path: string): string | undefined => ancestors(path).at(-1) ?? (path === '' ? undefined : '');
  for (const { path, kind, byPlace, behindLink } of findings) {
    if (behindLink === 'outside') continue;
    if (kind !== 'denied' && kind !== 'locked') continue;
    const parent = parents(path);
    // What lies in a locked folder is locked with it.
    if (kind === 'locked' && (parent === undefined || !isWithin(parent, locked))) places.set(path, 'read-only');
    if (byPlace !== true) continue;
    for (const folder of ancestors(path)) if (!isWithin(folder, locked)) places.set(folder, places.get(folder) ?? 'writable');
  }
  return Array.from(places, ([path, kind]) => ({ path, kind })).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
