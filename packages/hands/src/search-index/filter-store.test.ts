import { expect, it } from 'vitest';
import { FilterStore } from './filter-store.ts';
import { GramFilters, gramsOf } from './gram-filter.ts';

const filters = new GramFilters();
function filterOf(content: string): Uint8Array {
  filters.add(Buffer.from(content));
  return filters.end() ?? new Uint8Array();
}

it('keeps filters of all sizes apart', () => {
  const store = new FilterStore(16 * 1024 * 1024);
  const texts = Array.from({ length: 300 }, (_, index) => `word${index} `.repeat(1 + (index % 7)) + 'filler'.repeat(index));
  const places = texts.map((text) => store.add(filterOf(text)));
  for (const [index, place] of places.entries())
    expect(store.mayHold(place?.unit ?? 0, place?.mask ?? 0, gramsOf(Buffer.from(`word${index} `)))).toBe(true);
  const found = places.filter((place) => store.mayHold(place?.unit ?? 0, place?.mask ?? 0, gramsOf(Buffer.from('nothing of this'))));
  expect(found).toEqual([]);
});

it('refuses what is over its limit, and uses again what was removed', () => {
  const store = new FilterStore(4 * 1024 * 1024);
  const large = new Uint8Array(1024 * 1024);
  const places = Array.from({ length: 5 }, () => store.add(large));
  expect(places.map((place) => place === undefined)).toEqual([false, false, false, false, true]);
  if (places[0] !== undefined) store.remove(places[0]);
  expect(store.add(large)).toEqual(places[0]);
});
