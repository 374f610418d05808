import { displayPath } from '../workspace/byte-name.ts';
import { isSwap } from './swap-entry.ts';
import { placesOf, type Step } from '../workspace/changes/step.ts';

/** Yields the steps whose paths no earlier step has touched. After the move of a folder, every name may mean another path. */
export function* untouched(steps: readonly Step[]): Generator<Step> {
  const touched = new Set<string>();
  const touchedBelow = new Set<string>();
  for (const step of steps) {
    const places = placesOf(step).map(displayPath);
    const isFirst = places.every((place) => !touched.has(place) && ![...ancestors(place)].some((folder) => touched.has(folder)));
    // The check of an exchanged folder includes everything in it.
    const isWhole = !isSwap(step) || places.every((place) => !touchedBelow.has(place));
    for (const place of places) {
      touched.add(place);
      for (const folder of ancestors(place)) touchedBelow.add(folder);
    }
    if (isFirst && isWhole) yield step;
    if (step.kind === 'move') return;
  }
}

function* ancestors(place: string): Generator<string> {
  for (let slash = place.lastIndexOf('/'); slash > 0; slash = place.lastIndexOf('/', slash - 1)) yield place.slice(0, slash);
}
