import type { PlaceFinding } from './finding.ts';

/** A path that must not be moved or changed. */
export interface BindMount {
  readonly path: string;
  readonly kind: 'writable' | 'read-only';
}

function ancestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether a path is one of these folders, or inside one. */
export function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  return folders.has('') || folders.has(path) || ancestors(path).some((folder) => folders.has(folder));
}

/** The folders where no writing is allowed. */
export function lockedFolders(findings: readonly PlaceFinding[]): ReadonlySet<string> {
  return new Set(findings.flatMap(({ path, kind, isFolder }) => (kind === 'locked' && isFolder ? [path] : [])));
}

/**
 * Paths that rules deny writing, as read-only mounts; and every folder whose name a denying rule contains, mounted on itself:
 * renaming it would move a file to where no rule matches it. From the top down, because a mount hides earlier mounts below it.
 */
export function bindMounts(findings: readonly PlaceFinding[]): BindMount[] {
  const locked = lockedFolders(findings);
  const places = new Map<string, BindMount['kind']>();
  const parents = (path: string): string | undefined => ancestors(path).at(-1) ?? (path === '' ? undefined : '');
  for (const { path, kind, byPlace, behindLink } of findings) {
    if (behindLink === 'outside') continue;
    if (kind !== 'denied' && kind !== 'locked') continue;
    const parent = parents(path);
    // A locked folder also locks its content.
    if (kind === 'locked' && (parent === undefined || !isWithin(parent, locked))) places.set(path, 'read-only');
    if (byPlace !== true) continue;
    for (const folder of ancestors(path)) if (!isWithin(folder, locked)) places.set(folder, places.get(folder) ?? 'writable');
  }
  return Array.from(places, ([path, kind]) => ({ path, kind })).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
