import { parentOf, resolveIn, type TreeView } from './tree-view.ts';

/** A place in the workspace from which git takes programs or settings, because a configuration names it. */
export interface NamedPlace {
  readonly path: string;
  /** The setting, such as `core.hookspath`. */
  readonly setting: string;
  /** The folder whose configuration it is, if that is not above the place. */
  readonly holder?: string;
}

/** Maximum number of links to follow, as in the kernel. */
const MAX_LINKS = 40;
/** Maximum length of a path (PATH_MAX). A link to a path through itself grows at each step. */
const MAX_PATH = 4_096;

/** Returns the first link in a path, including the last name. */
function firstLink(view: TreeView, path: string): string | undefined {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/')).find((part) => view.type(part) === 'link');
}

/**
 * Returns all places that the links of a path lead through. Each of them determines the final target.
 *
 * @param seen paths that were followed already, to which this one is added: chains of links are followed once, however many begin in them
 */
export function placesBehind(view: TreeView, rootPath: string, link: string, seen?: Set<string>): NamedPlace[] {
  const places: NamedPlace[] = [];
  // A name may contain any bytes.
  const setting = `the link ${link.replaceAll(/[^\x20-\x7e]/gu, '?')}`;
  let at = link;
  // With the paths seen, a longer way than the kernel follows costs no more, and a part of it may count for another link.
  const limit = seen === undefined ? MAX_LINKS : Infinity;
  for (let count = 0; count < limit; count += 1) {
    if (seen?.has(at) === true) break;
    seen?.add(at);
    const part = firstLink(view, at);
    const target = part === undefined ? undefined : view.linkText(part);
    const next = part === undefined || target === undefined ? undefined : resolveIn(rootPath, parentOf(part), `${target}${at.slice(part.length)}`);
    // Package managers fill node_modules, and the user runs its contents anyway.
    if (next === undefined || next === '' || next.length > MAX_PATH || next.split('/').includes('node_modules')) break;
    // Replacing a link in the path would also change the target.
    if (part !== undefined && part !== at) places.push({ path: part, setting });
    places.push({ path: next, setting });
    at = next;
  }
  return places;
}

/** Returns where the links of a path lead in the end. */
export function followed(view: TreeView, rootPath: string, path: string): string {
  return placesBehind(view, rootPath, path).at(-1)?.path ?? path;
}

/** Adds the places that the links of named places lead through. A change of one of them changes what is found under the name. */
export function throughLinks(view: TreeView, rootPath: string, places: readonly NamedPlace[]): NamedPlace[] {
  const found: NamedPlace[] = [];
  for (const ofHolder of Map.groupBy(places, ({ holder }) => holder).values()) {
    const [known, seen] = [new Set<string>(), new Set<string>()];
    const add = (place: NamedPlace): void => {
      if (known.has(place.path)) return;
      known.add(place.path);
      found.push(place);
    };
    for (const place of ofHolder) add(place);
    for (const place of ofHolder) for (const { path } of placesBehind(view, rootPath, place.path, seen)) add({ ...place, path });
  }
  return found;
}

const NOTHING: readonly NamedPlace[] = [];

/** Finds named places by path, in as many steps as a path has names, however many places there are. */
export class PlaceLookup {
  readonly #at = new Map<string, NamedPlace>();
  /** The places below each folder. */
  readonly #below = new Map<string, NamedPlace[]>();
  readonly #above: PlaceLookup | undefined;

  /** @param above further places, found after these */
  constructor(places: readonly NamedPlace[], above?: PlaceLookup) {
    this.#above = above;
    for (const place of places) {
      if (!this.#at.has(place.path)) this.#at.set(place.path, place);
      for (let path = place.path; path !== ''; path = parentOf(path)) {
        const known = this.#below.get(path);
        if (known === undefined) this.#below.set(path, [place]);
        else known.push(place);
      }
    }
  }

  /** Returns the place that a path is, or is inside of. */
  covering(path: string): NamedPlace | undefined {
    for (let at = path; at !== ''; at = parentOf(at)) {
      const found = this.#at.get(at);
      if (found !== undefined) return found;
    }
    return this.#above?.covering(path);
  }

  /** Returns the first place at or below a path that passes a check. */
  findBelow(path: string, check: (place: NamedPlace) => boolean): NamedPlace | undefined {
    return (this.#below.get(path) ?? NOTHING).find(check) ?? this.#above?.findBelow(path, check);
  }
}
