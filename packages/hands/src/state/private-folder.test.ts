import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isOwnFolder, isPrivateFolder } from './private-folder.ts';

let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(realpathSync(tmpdir()), 'synapse-private-'));
  folder = join(base, 'above', 'folder');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
});
afterEach(() => rmSync(base, { recursive: true }));

it.each([
  ['a folder of its user', () => {}, { own: true, isPrivate: true }],
  ['one that others may read', () => chmodSync(folder, 0o755), { own: true, isPrivate: true }],
  ['one that its group may write to', () => chmodSync(folder, 0o770), { own: false, isPrivate: false }],
  ['one that all may write to', () => chmodSync(folder, 0o707), { own: false, isPrivate: false }],
  ['one that all may write to, also if it is sticky', () => chmodSync(folder, 0o1777), { own: false, isPrivate: false }],
  ['one in a folder that all may write to', () => chmodSync(join(base, 'above'), 0o707), { own: true, isPrivate: false }],
  ['one in a sticky folder', () => chmodSync(join(base, 'above'), 0o1777), { own: true, isPrivate: true }],
])('%s', (_, prepare, { own, isPrivate }) => {
  prepare();
  expect([isOwnFolder(folder), isPrivateFolder(folder)]).toEqual([own, isPrivate]);
});

it('a link or a file is no folder', () => {
  const [link, file] = [join(base, 'link'), join(base, 'file')];
  symlinkSync(folder, link);
  writeFileSync(file, '', { mode: 0o600 });
  expect([link, file].map((path) => [isOwnFolder(path), isPrivateFolder(path)])).toEqual([
    [false, false],
    [false, false],
  ]);
});

it.runIf(process.getuid?.() !== undefined)('what is missing is an error', () => {
  expect(() => isPrivateFolder(join(base, 'missing'))).toThrow('ENOENT');
});
