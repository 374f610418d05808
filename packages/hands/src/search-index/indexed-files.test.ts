import { expect, it } from 'vitest';
import { GramFilters, gramsOf } from './gram-filter.ts';
import { IndexedFiles } from './indexed-files.ts';

const filters = new GramFilters();
function read(content: string) {
  filters.add(Buffer.from(content));
  return { filter: filters.end(8), modified: 1, size: content.length, isUnreadable: false };
}
const mayMatch = (files: IndexedFiles, id: number): boolean => files.mayMatch(NEEDLE, (one) => one === id, 10)?.includes(id) === true;
const NEEDLE = [gramsOf(Buffer.from('needle'))];

function settled(content: string): { readonly files: IndexedFiles; readonly id: number } {
  const files = new IndexedFiles();
  const id = files.add('a', true);
  for (const ticket of files.takeStale(1)) files.settle(ticket, read(content));
  return { files, id };
}

it('leaves out only what was read and cannot match', () => {
  const files = new IndexedFiles();
  const id = files.add('a', true);
  expect(mayMatch(files, id)).toBe(true);
  const known = settled('something else');
  expect(mayMatch(known.files, known.id)).toBe(false);
  expect(known.files.has(known.id)).toBe(true);
  expect(mayMatch(settled('a needle').files, 0)).toBe(true);
});

it('searches a changed file until it was read again', () => {
  const { files, id } = settled('something else');
  files.touch(id);
  expect([mayMatch(files, id), files.modified(id)]).toEqual([true, undefined]);
  const [ticket] = files.takeStale(1);
  // It changes once more while it is read.
  files.touch(id);
  if (ticket !== undefined) files.settle(ticket, read('something else'));
  expect(mayMatch(files, id)).toBe(true);
  const [again] = files.takeStale(1);
  if (again !== undefined) files.settle(again, read('something else'));
  expect([mayMatch(files, id), files.modified(id)]).toEqual([false, 1]);
});

it('never reads a file that must not be read, and always searches it', () => {
  const files = new IndexedFiles();
  const id = files.add('secret', false);
  files.touch(id);
  expect(files.takeStale(10)).toEqual([]);
  expect(mayMatch(files, id)).toBe(true);
});

it('notes a file that cannot be read until it changes', () => {
  const files = new IndexedFiles();
  const id = files.add('a', true);
  for (const ticket of files.takeStale(1)) files.settle(ticket, { filter: undefined, modified: undefined, size: 0, isUnreadable: true });
  expect([files.isUnreadable(id), mayMatch(files, id)]).toEqual([true, true]);
  files.touch(id);
  expect([files.isUnreadable(id), files.takeStale(10).length]).toEqual([false, 1]);
});

it('forgets a file that is gone', () => {
  const { files, id } = settled('a needle');
  files.remove(id);
  expect([files.has(id), files.idOf('a')]).toEqual([false, undefined]);
  expect(files.add('a', true)).not.toBe(id);
});

it('returns nothing where too many files may match', () => {
  const { files } = settled('a needle');
  files.add('b', true);
  expect(files.mayMatch(NEEDLE, () => true, 2)).toHaveLength(2);
  expect(files.mayMatch(NEEDLE, () => true, 1)).toBeUndefined();
});

it('takes each file once from its queue, in order', () => {
  const files = new IndexedFiles();
  for (let number = 0; number < 25_000; number += 1) files.add(`f${number}`, true);
  const taken: number[] = [];
  for (let batch = files.takeStale(64); batch.length > 0; batch = files.takeStale(64)) {
    taken.push(...batch.map(({ id }) => id));
    for (const ticket of batch) files.settle(ticket, read('text'));
  }
  expect(taken).toEqual(Array.from({ length: 25_000 }, (_, id) => id));
});
