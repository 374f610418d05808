import { lstatSync, mkdtempSync, linkSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { KnownFiles } from './known-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'synapse-known-'));
const at = (path: string): string => join(folder, path);
const look = (path: string) => lstatSync(at(path), { throwIfNoEntry: false });

function known(...paths: readonly string[]): KnownFiles {
  const files = new KnownFiles();
  for (const path of paths) writeFileSync(at(path), 'text');
  // Long after the change.
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_000);
  for (const [id, path] of paths.entries()) files.note(id, path, lstatSync(at(path)));
  now.mockRestore();
  return files;
}

it('tells files that changed, went, were replaced, or got another name', () => {
  const files = known('same', 'changed', 'gone', 'replaced', 'linked');
  expect(files.differing(look)).toEqual([]);
  utimesSync(at('changed'), 1, 1);
  renameSync(at('gone'), at('elsewhere'));
  writeFileSync(at('fresh'), 'text');
  renameSync(at('fresh'), at('replaced'));
  linkSync(at('linked'), at('link'));
  expect(files.differing(look)).toEqual([1, 2, 3, 4]);
  files.forget(2);
  expect(files.differing(look)).toEqual([1, 3, 4]);
  files.forgetAll();
  expect(files.differing(look)).toEqual([]);
});

it('does not trust times that the next change may leave as they are', () => {
  const files = new KnownFiles();
  writeFileSync(at('new'), 'text');
  const now = vi.spyOn(Date, 'now').mockReturnValue(Math.floor(lstatSync(at('new')).ctimeMs) + 20);
  files.note(0, 'new', lstatSync(at('new')));
  now.mockRestore();
  expect(files.differing(look)).toEqual([0]);
});
