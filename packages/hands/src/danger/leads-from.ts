import { configurationsOf } from './git-orders.ts';
import { throughLinks, type NamedPlace } from './link-route.ts';
import { linkedPlaces } from './linked-places.ts';
import { namedPlaces } from './named-places.ts';
import { foldBytes } from './protected-places.ts';
import type { TreeView } from './tree-view.ts';

/**
 * Returns the places in the workspace from which other programs take orders because of a folder: those that the configuration of
 * its repository names, and those that its protected places link to.
 *
 * @param hasLinks whether its protected places count; not in a repository's own folder, nor where a package manager fills it
 */
export function leadsFrom(view: TreeView, rootPath: string, folder: string, hasLinks: boolean): NamedPlace[] {
  const named = configurationsOf(view, rootPath, folder).flatMap((file) => namedPlaces(view, rootPath, file, folder));
  return hasLinks ? [...named, ...linkedPlaces(view, rootPath, folder)] : named;
}

/** Returns those places that are outside of the folder, and what the links on the way to all of them lead through there. */
export function leadsOutside(view: TreeView, rootPath: string, folder: string): NamedPlace[] {
  const names = folder.split('/');
  const hasLinks = !names.includes('node_modules') && !names.some((name) => foldBytes(name) === '.git');
  const places = throughLinks(view, rootPath, leadsFrom(view, rootPath, folder, hasLinks));
  return places.filter(({ path }) => !path.startsWith(`${folder}/`));
}
