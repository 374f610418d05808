import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryTop } from './repository-top.ts';

it('finds the repository around a folder', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-')));
  mkdirSync(join(base, 'packages/a'), { recursive: true });
  expect(repositoryTop(join(base, 'packages/a'))).toEqual({ top: join(base, 'packages/a'), folder: '' });
  mkdirSync(join(base, '.git'));
  expect(repositoryTop(join(base, 'packages/a'))).toEqual({ top: base, folder: 'packages/a' });
  expect(repositoryTop(base)).toEqual({ top: base, folder: '' });
  expect(repositoryTop(join(base, 'gone'))).toEqual({ top: join(base, 'gone'), folder: '' });
  // Opening a file as a workspace says what is wrong.
  writeFileSync(join(base, 'file'), '');
  expect(repositoryTop(join(base, 'file'))).toEqual({ top: join(base, 'file'), folder: '' });
});
