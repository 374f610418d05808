import { expect, it } from 'vitest';
import { GramFilters, gramsOf } from './gram-filter.ts';
import { IndexedFiles } from './indexed-files.ts';

const filters = new GramFilters();
function read(content: string) {
  filters.add(Buffer.from(content));
  return { filter: filters.end(), modified: 1, size: content.length, isUnreadable: false };
}
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
  expect(files.mayMatch(id, NEEDLE)).toBe(true);
  const known = settled('something else');
  expect(known.files.mayMatch(known.id, NEEDLE)).toBe(false);
  expect(known.files.mayMatch(known.id, undefined)).toBe(true);
  expect(settled('a needle').files.mayMatch(0, NEEDLE)).toBe(true);
});

it('searches a changed file until it was read again', () => {
  const { files, id } = settled('something else');
  files.touch(id);
  expect([files.mayMatch(id, NEEDLE), files.modified(id)]).toEqual([true, undefined]);
  const [ticket] = files.takeStale(1);
  // It changes once more while it is read.
  files.touch(id);
  if (ticket !== undefined) files.settle(ticket, read('something else'));
  expect(files.mayMatch(id, NEEDLE)).toBe(true);
  const [again] = files.takeStale(1);
  if (again !== undefined) files.settle(again, read('something else'));
  expect([files.mayMatch(id, NEEDLE), files.modified(id)]).toEqual([false, 1]);
});

it('never reads a file that must not be read, and always searches it', () => {
  const files = new IndexedFiles();
  const id = files.add('secret', false);
  files.touch(id);
  expect(files.takeStale(10)).toEqual([]);
  expect(files.mayMatch(id, NEEDLE)).toBe(true);
});

it('notes a file that cannot be read until it changes', () => {
  const files = new IndexedFiles();
  const id = files.add('a', true);
  for (const ticket of files.takeStale(1)) files.settle(ticket, { filter: undefined, modified: undefined, size: 0, isUnreadable: true });
  expect([files.isUnreadable(id), files.mayMatch(id, NEEDLE)]).toEqual([true, true]);
  files.touch(id);
  expect([files.isUnreadable(id), files.takeStale(10).length]).toEqual([false, 1]);
});

it('forgets a file that is gone', () => {
  const { files, id } = settled('a needle');
  files.remove(id);
  expect([files.mayMatch(id, undefined), files.idOf('a')]).toEqual([false, undefined]);
  expect(files.add('a', true)).not.toBe(id);
});
