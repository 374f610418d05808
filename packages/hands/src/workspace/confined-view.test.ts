import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parentOf } from '../danger/tree-view.ts';
import { ConfinedView } from './confined-view.ts';
import type { PinnedDirectory } from './confinement.ts';
import { HandleConfinement } from './handle-confinement.ts';

const DEPTH = 400;

/** A temporary folder, by handle, that counts which folders are opened and closed. */
function place(): { readonly folder: string; readonly view: ConfinedView; opened: number; open: number; most: number } & Disposable {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-test-')));
  const confinement = new HandleConfinement(folder);
  const root = confinement.openDirectory([]);
  const counted = (inner: PinnedDirectory): PinnedDirectory => ({
    location: inner.location,
    self: inner.self,
    at: (name) => inner.at(name),
    child(name) {
      const child = counted(inner.child(name));
      found.opened += 1;
      found.open += 1;
      found.most = Math.max(found.most, found.open);
      return child;
    },
    [Symbol.dispose]() {
      found.open -= 1;
      inner[Symbol.dispose]();
    },
  });
  const found = {
    folder,
    view: new ConfinedView(counted(root)),
    opened: 0,
    open: 0,
    most: 0,
    [Symbol.dispose]() {
      found.view[Symbol.dispose]();
      root[Symbol.dispose]();
      confinement[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    },
  };
  return found;
}

it('opens each folder of a deep tree once, holds few of them open, and closes all', () => {
  using at = place();
  const levels = Array.from({ length: DEPTH }, (_, index) => Array.from({ length: index + 1 }, () => 'd').join('/'));
  mkdirSync(join(at.folder, levels.at(-1) ?? ''), { recursive: true });
  for (const path of levels) {
    expect(at.view.type(path)).toBe('folder');
    expect(at.view.names(path)).toEqual(path === levels.at(-1) ? [] : ['d']);
    expect(at.view.type(`${path}/missing`)).toBeUndefined();
    expect(at.view.type(join(parentOf(path), 'missing/deeper/still'))).toBeUndefined();
  }
  expect(at.opened).toBe(DEPTH);
  expect(at.most).toBeLessThan(100);
  at.view[Symbol.dispose]();
  expect(at.open).toBe(0);
});

it('follows no link that replaces a folder it looked at, nor one above it', () => {
  using at = place();
  mkdirSync(join(at.folder, 'a/b/c'), { recursive: true });
  mkdirSync(join(at.folder, 'other/b/c'), { recursive: true });
  writeFileSync(join(at.folder, 'a/b/x'), 'inside');
  writeFileSync(join(at.folder, 'other/b/x'), 'secret');
  expect(at.view.names('a/b')?.toSorted()).toEqual(['c', 'x']);
  renameSync(join(at.folder, 'a'), join(at.folder, 'gone'));
  symlinkSync('other', join(at.folder, 'a'));
  expect(at.view.type('a')).toBe('link');
  expect(at.view.readText('a/b/x', 100)).toBe('inside');
  using fresh = new HandleConfinement(at.folder);
  using root = fresh.openDirectory([]);
  using view = new ConfinedView(root);
  expect([view.readText('a/b/x', 100), view.names('a/b'), view.type('a/b/c')]).toEqual([undefined, undefined, undefined]);
});

it('sees a folder that appears after it was missing', () => {
  using at = place();
  mkdirSync(join(at.folder, 'there'));
  expect(at.view.type('a/b')).toBeUndefined();
  mkdirSync(join(at.folder, 'a/b'), { recursive: true });
  expect(at.view.names('there')).toEqual([]);
  expect(at.view.type('a/b')).toBe('folder');
});
