import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BRANCH_FOLDER_VARIABLE, branchPlace, placeInBranch, recordedRoot } from './branch-place.ts';
import { defaultStateFolder, workspaceId } from './state-folder.ts';

/** Lets this process work in a branch of `/home/ada/project`. */
function enter(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-place-')));
  const folder = join(base, 'branches/0123456789abcdef/fix');
  mkdirSync(folder, { recursive: true });
  symlinkSync('/home/ada/project', join(folder, 'lower'));
  vi.stubEnv(BRANCH_FOLDER_VARIABLE, folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

it('leads from the workspace into the branch, and to the records of both', () => {
  const folder = enter();
  const clone = join(folder, 'clone');
  expect(branchPlace()).toEqual({ clone, state: join(folder, 'state'), root: '/home/ada/project', id: '0123456789abcdef' });
  expect(['/home/ada/project', '/home/ada/project/d/x', '/home/ada/project2', '/', clone].map((path) => placeInBranch(path))).toEqual([
    clone,
    join(clone, 'd/x'),
    '/home/ada/project2',
    '/',
    clone,
  ]);
  expect([recordedRoot(clone), recordedRoot('/home/ada/project'), recordedRoot('/other')]).toEqual([
    '/home/ada/project',
    '/home/ada/project',
    '/other',
  ]);
  expect(defaultStateFolder()).toBe(join(folder, 'state'));
  expect(workspaceId(clone)).toBe('0123456789abcdef');
  // Another folder has its own records, whatever it is called.
  expect(workspaceId(join('/other', clone))).not.toBe('0123456789abcdef');
});

it('fails where the branch was deleted, and takes nothing for the workspace', () => {
  const folder = enter();
  rmSync(folder, { recursive: true });
  const gone = expect.objectContaining({ code: 'not_found', message: expect.stringContaining('does not exist any more: fix') as string }) as Error;
  expect(() => placeInBranch('/home/ada/project')).toThrow(gone);
  expect(() => defaultStateFolder()).toThrow(gone);
});

it('leads nowhere in a workspace, and in a branch that is mounted', () => {
  expect([undefined, ''].map((value) => branchPlace({ [BRANCH_FOLDER_VARIABLE]: value }))).toEqual([undefined, undefined]);
  expect([placeInBranch('/home/ada/project', {}), recordedRoot('/home/ada/project', {})]).toEqual(['/home/ada/project', '/home/ada/project']);
});
