import type { NamedPlace } from './named-places.ts';
import { protectedEntry } from './protected-places.ts';
import { join, parentOf, resolveIn, type TreeView } from './tree-view.ts';

/** Maximum number of links to follow, as in the kernel. */
const MAX_LINKS = 40;

/** Returns the first link in a path, including the last name. */
function firstLink(view: TreeView, path: string): string | undefined {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/')).find((part) => view.type(part) === 'link');
}

/** Returns all places that a link leads through, via other links. Each of them determines the final target. */
function placesBehind(view: TreeView, rootPath: string, link: string): NamedPlace[] {
  const places: NamedPlace[] = [];
  // A name may contain any bytes.
  const setting = `the link ${link.replaceAll(/[^\x20-\x7e]/gu, '?')}`;
  let at = link;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    const part = firstLink(view, at);
    const target = part === undefined ? undefined : view.linkText(part);
    const next = part === undefined || target === undefined ? undefined : resolveIn(rootPath, parentOf(part), `${target}${at.slice(part.length)}`);
    // Package managers fill node_modules, and the user runs its contents anyway.
    if (next === undefined || next === '' || next.split('/').includes('node_modules')) break;
    // Replacing a link in the path would also change the target.
    if (part !== undefined && part !== at) places.push({ path: part, setting });
    places.push({ path: next, setting });
    at = next;
  }
  return places;
}

const entriesIn = (view: TreeView, folder: string): string[] => (view.names(folder) ?? []).map((name) => join(folder, name));

/**
 * Returns the places in the workspace that the protected places of a folder link to, such as the script behind a git hook.
 * Content written there is executed like the protected place itself.
 *
 * @param folder the folder that contains the protected places, including `.git`
 */
export function linkedPlaces(view: TreeView, rootPath: string, folder: string): NamedPlace[] {
  const places: NamedPlace[] = [];
  const addLinks = (paths: readonly string[]): void => {
    for (const path of paths) if (view.type(path) === 'link') places.push(...placesBehind(view, rootPath, path));
  };
  const hooks = join(folder, '.git/hooks');
  addLinks([hooks, ...entriesIn(view, hooks)]);
  // The target of a link named `.git` is judged as a repository.
  const own = entriesIn(view, folder).filter((path) => protectedEntry(path)?.names.includes('.git') === false);
  for (const path of own) addLinks([path, ...entriesIn(view, path)]);
  return places;
}
