import { join, nameOf, parentOf, type BoundedView, type TreeView } from './tree-view.ts';
import { configurationsOf } from './executable-git-config.ts';
import { throughLinks, type NamedPlace } from './link-route.ts';
import { linkedPlaces } from './linked-places.ts';
import { namedPlaces } from './named-places.ts';
import { foldBytes, protectedEntry } from './protected-places.ts';

/**
 * Returns the paths in the workspace that git, editors or shells execute because of a folder: those that the configuration of
 * its repository names, and those that its protected places link to.
 *
 * @param hasLinks whether its protected places count; not in a repository's own folder, nor where a package manager fills it
 */
export function executionTargets(view: TreeView, rootPath: string, folder: string, hasLinks: boolean): NamedPlace[] {
  const named = configurationsOf(view, rootPath, folder).flatMap((file) => namedPlaces(view, rootPath, file, folder));
  return hasLinks ? [...named, ...linkedPlaces(view, rootPath, folder)] : named;
}

/** What other programs execute because of a folder. */
export interface FolderTargets {
  /** See {@link executionTargets}. */
  readonly direct: readonly NamedPlace[];
  /** Those, and every link target on the way. */
  readonly places: readonly NamedPlace[];
  /** Whether there was more than could be looked at. */
  readonly isSpent: boolean;
}

/** Finds the execution targets of a folder, in bounded steps. */
export function targetsOf(view: BoundedView, rootPath: string, folder: string, hasLinks: boolean): FolderTargets {
  const direct = executionTargets(view, rootPath, folder, hasLinks);
  const places = throughLinks(view, rootPath, direct);
  return { direct, places, isSpent: view.isSpent() };
}

/**
 * Returns the execution targets of a folder that are outside of it, and every link target on the way.
 *
 * @param outer the folder that counts as inside; default: the folder itself
 */
export function externalTargets(view: TreeView, rootPath: string, folder: string, outer = folder): NamedPlace[] {
  const names = folder.split('/');
  const hasLinks = !names.includes('node_modules') && !names.some((name) => foldBytes(name) === '.git');
  const places = throughLinks(view, rootPath, executionTargets(view, rootPath, folder, hasLinks));
  return places.flatMap((place) => (place.path === outer || place.path.startsWith(`${outer}/`) ? [] : [{ ...place, holder: folder }]));
}

/** Whether an entry can make the folder that contains it lead other programs elsewhere. */
export const mayMakeLead = (path: string): boolean => nameOf(path) === 'HEAD' || protectedEntry(path) !== undefined;

/** What is needed to judge a move. */
interface Move {
  readonly before: TreeView;
  readonly after: TreeView;
  readonly rootPath: string;
  readonly from: string;
  readonly to: string;
  /** The moved entries, relative to the moved folder. */
  readonly inside: readonly string[];
}

/**
 * Returns an existing place that a moved folder leads to because of its new name: a repository that names `../hooks` takes other
 * programs elsewhere. Places that move along count as the same.
 */
export function leadsByMove({ before, after, rootPath, from, to, inside }: Move): NamedPlace | undefined {
  for (const below of new Set(inside.filter((path) => mayMakeLead(join(from, path))).map(parentOf))) {
    const [source, place] = below === '' ? [from, to] : [join(from, below), join(to, below)];
    const known = new Set(externalTargets(before, rootPath, source, from).map(({ path }) => path));
    const found = externalTargets(after, rootPath, place, to).find(({ path }) => !known.has(path) && after.type(path) !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}
