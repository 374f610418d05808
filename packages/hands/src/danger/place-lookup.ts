import type { NamedPlace } from './link-route.ts';
import { parentOf } from './tree-view.ts';

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
