import { placesBehind, type NamedPlace } from './link-route.ts';
import { protectedEntry } from './protected-places.ts';
import { join, type TreeView } from './tree-view.ts';

const entriesIn = (view: TreeView, folder: string): string[] => (view.names(folder) ?? []).map((name) => join(folder, name));

/**
 * Returns the places in the workspace that the protected places of a folder link to, such as the script behind a git hook.
 * Content written there is executed like the protected place itself.
 *
 * @param folder the folder that contains the protected places, including `.git`
 */
export function linkedPlaces(view: TreeView, rootPath: string, folder: string): NamedPlace[] {
  const places: NamedPlace[] = [];
  const seen = new Set<string>();
  const addLinks = (paths: readonly string[]): void => {
    for (const path of paths) if (view.type(path) === 'link') places.push(...placesBehind(view, rootPath, path, seen));
  };
  const hooks = join(folder, '.git/hooks');
  addLinks([hooks, ...entriesIn(view, hooks)]);
  // The target of a link named `.git` is judged as a repository.
  const own = entriesIn(view, folder).filter((path) => protectedEntry(path)?.names.includes('.git') === false);
  for (const path of own) addLinks([path, ...entriesIn(view, path)]);
  return places;
}
