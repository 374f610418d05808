import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { branchesKeptBy, shownBy } from '../testing/branches-kept-by.ts';

const FILES = { a: 'a', 'd/x': 'x', 'd/y': 'y', 'd/in/z': 'z', 'k/l': 'l' };
const BACK_ENDS = ['overlay', 'copy'] as const;
const HAS_SANDBOX = (await findBubblewrap()) !== undefined;

describe.skipIf(!HAS_SANDBOX).each(BACK_ENDS)('changes of a branch that is kept by %s', { timeout: 60_000 }, (backEnd) => {
  it.each<readonly [does: string, script: string, overlay: number, copy: number]>([
    ['empties a folder', 'rm -r d; mkdir d', 1, 3],
    ['makes a folder anew with less in it', 'rm -r d; mkdir -p d/in; printf x > d/x; printf z > d/in/z', 1, 1],
    ['makes a folder anew with less in a folder of it', 'rm -r d; mkdir -p d/in; printf x > d/x; printf y > d/y', 1, 1],
    ['makes a folder anew as it was', 'rm -r d; mkdir -p d/in; printf x > d/x; printf y > d/y; printf z > d/in/z', 0, 0],
    ['puts an empty folder in place of a file', 'rm a; mkdir a', 1, 1],
    ['closes a folder', 'chmod 700 k', 1, 1],
    ['closes a folder and opens it again', 'chmod 700 k; chmod 755 k', 0, 0],
    ['creates folders', 'mkdir -p e/f g/h; echo x > g/x', 3, 3],
    ['creates a folder and deletes it', 'mkdir e; rmdir e', 0, 0],
    ['changes a file in a folder', 'echo more >> d/x', 1, 1],
  ])('are counted where it %s', async (_, script, overlay, copy) => {
    await using bench = await branchesKeptBy(backEnd, FILES);
    await bench.hands.createBranch('one');
    await bench.run('one', script);
    const expected = { overlay, copy }[backEnd];
    expect(bench.count('one')).toBe(expected);
    expect((await shownBy(bench, 'one')).length > 0).toBe(expected > 0);
    expect(await bench.hands.applyBranch('one')).toMatchObject({ ok: true });
    expect(bench.count('one')).toBe(0);
  });
});

it.skipIf(!HAS_SANDBOX)('a branch that empties a folder is applied before one that is based on it', { timeout: 60_000 }, async () => {
  await using bench = await branchesKeptBy('overlay', FILES);
  const { hands } = bench;
  await hands.createBranch('one');
  await bench.run('one', 'rm -r d; mkdir d');
  await hands.createBranch('two', { from: 'one' });
  await bench.run('two', 'echo new > new');
  expect(await hands.applyBranch('two')).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(await hands.applyBranch('one')).toMatchObject({ ok: true });
  expect(await hands.applyBranch('two')).toMatchObject({ ok: true });
});
