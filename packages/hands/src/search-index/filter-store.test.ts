import { expect, it } from 'vitest';
import { FilterStore } from './filter-store.ts';
import { GramFilters, gramsOf } from './gram-filter.ts';

const filters = new GramFilters();
function filterOf(content: string, bitsPerGram = 8): Uint8Array {
  filters.add(Buffer.from(content));
  return filters.end(bitsPerGram) ?? new Uint8Array();
}

function found(store: FilterStore, ...texts: readonly string[]): number[] {
  const ids: number[] = [];
  store.find(
    texts.map((text) => gramsOf(Buffer.from(text))),
    (id) => ids.push(id) > 0,
  );
  return ids.toSorted((one, other) => one - other);
}

/** Texts of which each has a word of its own; their filters have many lengths. */
const TEXTS = Array.from({ length: 3_000 }, (_, index) => `word${index}x `.repeat(1 + (index % 3)) + noise(index % 900, index));

function noise(length: number, seed: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => String.fromCodePoint(97 + ((state = (state * 48_271) % 2_147_483_647) % 26))).join('');
}

it.each([3, 8, 2_000])('keeps filters of all lengths apart, with %i bits for each gram', (bitsPerGram) => {
  const store = new FilterStore(512 * 1024 * 1024);
  const some = TEXTS.slice(0, bitsPerGram > 8 ? 200 : TEXTS.length);
  expect(some.every((text, id) => store.add(id, filterOf(text, bitsPerGram)))).toBe(true);
  expect(some.filter((_, id) => !found(store, `word${id}x `).includes(id))).toEqual([]);
  expect(found(store, 'nothing of this kind here')).toEqual([]);
  expect(found(store, 'nothing of this kind here', 'word7x ', 'word9x ')).toEqual(expect.arrayContaining([7, 9]));
});

it('forgets what was removed, and nothing of it is left in what takes its place', () => {
  const store = new FilterStore(64 * 1024 * 1024);
  for (const [id, text] of TEXTS.entries()) store.add(id, filterOf(text));
  for (const id of TEXTS.keys()) if (id % 2 === 0) store.remove(id);
  expect(TEXTS.filter((_, id) => id % 2 === 0 && found(store, `word${id}x `).includes(id))).toEqual([]);
  for (const [id, text] of TEXTS.entries()) if (id % 2 === 0) store.add(10_000 + id, filterOf(text.replaceAll('word', 'term')));
  expect(TEXTS.filter((_, id) => id % 2 === 1 && !found(store, `word${id}x `).includes(id))).toEqual([]);
  expect(TEXTS.filter((_, id) => id % 2 === 0 && !found(store, `term${id}x `).includes(10_000 + id))).toEqual([]);
  expect(found(store, 'word100x word100x')).not.toContain(10_100);
});

it('ends when enough was found', () => {
  const store = new FilterStore(64 * 1024 * 1024);
  for (const id of TEXTS.keys()) store.add(id, filterOf('the same text'));
  let taken = 0;
  store.find([gramsOf(Buffer.from('same text'))], () => (taken += 1) < 5);
  expect(taken).toBe(5);
});

it.each([1024, 1024 * 1024])('refuses what is over its limit, and uses again what was removed (%i bytes each)', (bytes) => {
  const store = new FilterStore(4 * 1024 * 1024);
  const filter = new Uint8Array(bytes);
  let count = 0;
  while (store.add(count, filter)) count += 1;
  expect(count).toBe((4 * 1024 * 1024) / bytes);
  store.remove(0);
  expect([store.add(count, filter), store.add(count + 1, filter)]).toEqual([true, false]);
});
