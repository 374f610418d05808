import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { removeContent, removeTree } from './remove-tree.ts';

let base: string;
let tree: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'synapse-remove-'));
  tree = join(base, 'tree');
  mkdirSync(join(tree, 'a', 'b'), { recursive: true });
});

const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));

describe('removeContent', () => {
  it('deletes what is in a small tree, and its folders later', async () => {
    writeFileSync(join(tree, 'a', 'one.txt'), 'x');
    symlinkSync(base, join(tree, 'a', 'b', 'link'));
    const removeFolders = await removeContent(tree);
    expect(existsSync(join(tree, 'a', 'b'))).toBe(true);
    expect(filesOf(tree)).toEqual([]);
    await removeFolders();
    expect(readdirSync(base)).toEqual([]);
  });

  it('deletes a larger tree at once', async () => {
    for (let count = 0; count < 60; count += 1) writeFileSync(join(tree, 'a', `${count}.txt`), 'x');
    const removeFolders = await removeContent(tree);
    expect(readdirSync(base)).toEqual([]);
    await removeFolders();
    expect(readdirSync(base)).toEqual([]);
  });

  it('deletes folders to which something came meanwhile', async () => {
    const removeFolders = await removeContent(tree);
    writeFileSync(join(tree, 'a', 'late.txt'), 'x');
    await removeFolders();
    expect(readdirSync(base)).toEqual([]);
  });

  it('says nothing about a tree that is gone', async () => {
    const removeFolders = await removeContent(join(base, 'gone'));
    await expect(removeFolders()).resolves.toBeUndefined();
  });
});

it('deletes a tree too deep for a path, while something else deletes in it', async () => {
  const before = process.cwd();
  process.chdir(tree);
  for (let depth = 0; depth < 40; depth += 1) {
    mkdirSync('d'.repeat(120));
    process.chdir('d'.repeat(120));
  }
  process.chdir(before);
  const files = Array.from({ length: 3_000 }, (_, index) => join(tree, 'a', `${index}.txt`));
  for (const file of files) writeFileSync(file, '');
  let taken = 0;
  const other = (async () => {
    for (const file of files) {
      await unlink(file).then(
        () => (taken += 1),
        () => {},
      );
    }
  })();
  await removeTree(tree);
  await other;
  expect(taken).toBeGreaterThan(0);
  expect(readdirSync(base)).toEqual([]);
});
