import { expect, it } from 'vitest';
import { listingHash, listingText, type TreeEntry } from './listing.ts';
import { changedFiles, listingReader, listTree, restoreListings } from './tree-files.ts';

/** A tree of files by path, as stored listings. */
function treeOf(files: Readonly<Record<string, string>>): { sum: string; texts: Map<string, string> } {
  const texts = new Map<string, string>();
  const folder = (prefix: string): TreeEntry => {
    const listing = new Map<string, TreeEntry>();
    for (const path of Object.keys(files).filter((one) => one.startsWith(prefix))) {
      const [name = '', ...below] = path.slice(prefix.length).split('/');
      if (below.length === 0) listing.set(name, { kind: 'f', hash: listingHash(files[path] ?? '') });
      else if (!listing.has(name)) listing.set(name, folder(`${prefix}${name}/`));
    }
    const text = listingText(listing);
    texts.set(listingHash(text), text);
    return { kind: 'd', hash: listingHash(text) };
  };
  return { sum: folder('').hash, texts };
}

const FILES = { 'a.txt': '1', 'src/a.ts': '2', 'src/deep/b.ts': '3', 'x/y/z/c': '4' };

it('names the files that differ', () => {
  const before = treeOf(FILES);
  const now = treeOf({ 'a.txt': '1', 'src/a.ts': 'changed', 'src/deep/new.ts': '3', src2: '5' });
  const read = listingReader((sum) => before.texts.get(sum) ?? now.texts.get(sum));
  expect(changedFiles(read, before.sum, now.sum)).toEqual(['src/a.ts', 'src/deep/b.ts', 'src/deep/new.ts', 'src2', 'x/y/z/c']);
  expect(changedFiles(read, before.sum, before.sum)).toEqual([]);
  expect(changedFiles(listingReader(), before.sum, now.sum)).toBeUndefined();
});

it('names a file that became a folder, and the files in it', () => {
  const before = treeOf({ a: '1', b: '2' });
  const now = treeOf({ 'a/c': '1', b: '2' });
  const read = listingReader((sum) => before.texts.get(sum) ?? now.texts.get(sum));
  expect(changedFiles(read, before.sum, now.sum)).toEqual(['a', 'a/c']);
});

it('lists a tree in a receipt, from which it is restored, and nothing else', () => {
  const { sum, texts } = treeOf(FILES);
  const read = listingReader((one) => texts.get(one));
  const files = listTree(read, sum, () => true) ?? {};
  expect(Object.keys(files).toSorted()).toEqual(['a.txt', 'src/a.ts', 'src/deep/b.ts', 'x/y/z/c']);
  expect([...(restoreListings(files, sum)?.keys() ?? [])].toSorted()).toEqual([...texts.keys()].toSorted());
  expect(restoreListings({ ...files, 'a.txt': files['src/a.ts'] ?? '' }, sum)).toBeUndefined();
  const { 'a.txt': _, ...fewer } = files;
  expect(restoreListings(fewer, sum)).toBeUndefined();
  // A name that must not be shown stays in its folder.
  const hidden = listTree(read, sum, (path) => !path.includes('deep/b')) ?? {};
  expect(Object.keys(hidden).toSorted()).toEqual(['a.txt', 'src/a.ts', 'src/deep/', 'x/y/z/c']);
  expect(restoreListings(hidden, sum)).toBeDefined();
});

it('keeps a large tree short: folders stay one entry', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`d${at % 10}/e${at % 100}/f${at}`, String(at)]));
  const { sum, texts } = treeOf({ ...many, 'small/a': '1' });
  const files = listTree(
    listingReader((one) => texts.get(one)),
    sum,
    () => true,
  );
  expect(Object.keys(files ?? {}).length).toBeLessThanOrEqual(600);
  expect(files).toHaveProperty(['small/a']);
  expect(restoreListings(files ?? {}, sum)).toBeDefined();
});
