import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { changedFiles } from './committed-files.ts';

const hash = (number: number): string => number.toString(16).padStart(40, '0');
const object = (type: string, content: Buffer): Buffer => deflateSync(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]));
const commit = (tree: number): Buffer => object('commit', Buffer.from(`tree ${hash(tree)}\n\nx\n`));
const tree = (entries: ReadonlyArray<readonly [mode: string, name: string, hash: number]>): Buffer =>
  object('tree', Buffer.concat(entries.flatMap(([mode, name, of]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(hash(of), 'hex')])));

const none = new AbortController().signal;

/** Counts how often objects are read. */
function source(objects: Readonly<Record<number, Buffer>>, bytes: number) {
  const byHash = new Map(Object.entries(objects).map(([number, content]) => [hash(Number(number)), content]));
  const counted = { reads: 0 };
  const read = (name: string): Buffer | undefined => {
    counted.reads += 1;
    return byHash.get(name);
  };
  return { counted, given: { read, budget: { bytes } } };
}

it('counts files that differ, in folders too', async () => {
  const before = tree([
    ['100644', 'a', 10],
    ['40000', 'f', 3],
  ]);
  const after = tree([
    ['100644', 'a', 11],
    ['40000', 'f', 4],
  ]);
  const objects = { 1: commit(5), 2: commit(6), 3: tree([['100644', 'b', 10]]), 4: tree([['100644', 'c', 10]]), 5: before, 6: after };
  const { given } = source(objects, 1_000_000);
  expect(await changedFiles(given, hash(1), hash(2), none)).toBe(3);
});

it('gives up on a folder that stands for very many', async () => {
  const bomb = (of: number) => tree(Array.from({ length: 50_000 }, (_, at) => ['40000', `f${at}`, of] as const));
  const { given, counted } = source({ 1: commit(5), 2: commit(6), 5: tree([]), 6: bomb(7), 7: bomb(8), 8: bomb(9), 9: tree([]) }, 64 * 1024 * 1024);
  expect(await changedFiles(given, hash(1), hash(2), none)).toBeUndefined();
  expect(counted.reads).toBeLessThan(10);
});

it('reads no more bytes than all references of a question may take', async () => {
  // Each folder has 200 others that read like it: 8 MB for one kilobyte of objects.
  const wide = (of: number) =>
    tree([...Array.from({ length: 200 }, (_, at) => ['40000', `f${at}`, of] as const), ['100644', 'x'.repeat(40_000), 10]]);
  const { given, counted } = source({ 1: commit(5), 2: commit(6), 5: tree([]), 6: wide(7), 7: wide(8), 8: tree([]) }, 1_000_000);
  expect(await changedFiles(given, hash(1), hash(2), none)).toBeUndefined();
  expect(given.budget.bytes).toBeGreaterThanOrEqual(0);
  const { reads } = counted;
  expect(reads).toBeLessThan(40);
  expect(await changedFiles({ ...given, budget: { bytes: 0 } }, hash(1), hash(2), none)).toBeUndefined();
  expect(counted.reads).toBe(reads);
});

it('ends with its call', async () => {
  const wide = (of: number) => tree(Array.from({ length: 1_500 }, (_, at) => ['40000', `f${at}`, of] as const));
  const flat = tree(Array.from({ length: 20_000 }, (_, at) => ['100644', `${at}`, 1] as const));
  const ended = new AbortController();
  const { given } = source({ 1: commit(5), 2: commit(6), 5: tree([]), 6: wide(7), 7: flat }, 2 ** 30);
  const counting = changedFiles(given, hash(1), hash(2), ended.signal);
  ended.abort(new Error('ended'));
  // A turn is long enough for the first folders at most, and 100,000 files end it too.
  await expect(counting).rejects.toThrow('ended');
});
