import { displayPath } from '../workspace/byte-name.ts';
import { isSwap } from './swap-entry.ts';
import { placesOf, type Step } from './step.ts';

/** The steps that find their place as it is now. Behind the move of a folder every name may mean another place. */
export function* untouched(steps: readonly Step[]): Generator<Step> {
  const touched = new Set<string>();
  const touchedBelow = new Set<string>();
  for (const step of steps) {
    const places = placesOf(step).map(displayPath);
    const isFirst = places.every((place) => !touched.has(place) && ![...ancestors(place)].some((folder) => touched.has(folder)));
    // An exchanged folder is seen with all that is in it.
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
