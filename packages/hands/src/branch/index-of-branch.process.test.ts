import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { BranchStore } from './branch-store.ts';
import { holdBranch } from './hold-branch.ts';
import { refreshBranch } from './refresh-branch.ts';

// What is hidden from commands is found by the index: it must know what appears in the workspace below a branch.
it.skipIf((await findBubblewrap()) === undefined)('an index of a branch knows what others change in the workspace', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-branch-')));
  const [root, stateFolder] = [join(base, 'workspace'), join(base, 'state')];
  mkdirSync(join(root, 'pkg'), { recursive: true });
  const { folder, record } = await new BranchStore(stateFolder, root).create('one');
  using held = await holdBranch(folder, record, {
    stateFolder,
    locks: new FileLocks(join(stateFolder, 'locks')),
    signal: new AbortController().signal,
  });
  using confinement = new HandleConfinement(held.path(root));
  using index = new FolderIndex(confinement, { below: { path: root, refresh: async () => void (await refreshBranch(held.path(stateFolder))) } });
  using blind = new FolderIndex(confinement);
  const seen = async (one: FolderIndex, path: string): Promise<string | undefined> => (await one.refresh()).folders.get(path)?.listing;
  for (const one of [index, blind]) expect([await seen(one, 'pkg'), one.mode?.kind]).toEqual(['', 'watched']);
  writeFileSync(join(root, 'pkg', '.env'), '');
  expect([await seen(index, 'pkg'), await seen(blind, 'pkg')]).toEqual(['f.env', '']);
  mkdirSync(join(root, 'new'));
  await index.refresh();
  writeFileSync(join(root, 'new', '.env'), '');
  expect(await seen(index, 'new')).toBe('f.env');
  // The kernel has looked these up in the branch: it remembers one as it was, and that the other is missing.
  writeFileSync(join(root, 'pkg', 'a'), 'old');
  const at = (name: string): string => `${held.path(root)}/pkg/${name}`;
  expect([readFileSync(at('a'), 'utf8'), existsSync(at('later'))]).toEqual(['old', false]);
  await index.refresh();
  writeFileSync(join(root, 'other'), 'new');
  renameSync(join(root, 'other'), join(root, 'pkg', 'a'));
  writeFileSync(join(root, 'pkg', 'later'), '');
  await index.refresh();
  expect([readFileSync(at('a'), 'utf8'), existsSync(at('later'))]).toEqual(['new', true]);
});
