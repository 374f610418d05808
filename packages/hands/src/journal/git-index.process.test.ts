import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isRefreshedIndex } from './git-index.ts';

function repository(version: number, format = 'sha1') {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-'));
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
  git('init', '-q', `--object-format=${format}`);
  for (const name of ['a', 'bb', 'src-1', 'ü long name of a file', 'later']) writeFileSync(join(folder, name), name);
  git('update-index', '--index-version', String(version));
  git('add', '-A');
  git('rm', '-q', '--cached', 'later');
  // An entry with further flags, which version 2 has no room for.
  if (version > 2) git('add', '-N', 'later');
  return { folder, git, index: (): Buffer => readFileSync(join(folder, '.git', 'index')) };
}

it.each([
  [2, 'sha1'],
  [3, 'sha1'],
  [4, 'sha1'],
  [2, 'sha256'],
  [4, 'sha256'],
])('an index of version %i with %s that only git status has written anew', (version, format) => {
  const { folder, git, index } = repository(version, format);
  const before = index();
  utimesSync(join(folder, 'a'), 1, 1);
  git('status');
  const after = index();
  expect(after.equals(before)).toBe(false);
  expect(isRefreshedIndex(after, before)).toBe(true);
  writeFileSync(join(folder, 'a'), 'b');
  git('add', 'a');
  expect(isRefreshedIndex(index(), before)).toBe(false);
});

it.each([
  ['a file that is run', ['update-index', '--chmod=+x', 'a']],
  ['a file that is assumed to be unchanged', ['update-index', '--assume-unchanged', 'a']],
  ['another name', ['mv', 'a', 'c']],
  ['a file less', ['rm', '-q', '--cached', 'a']],
])('%s is a change', (_, words) => {
  const { git, index } = repository(2);
  const before = index();
  git(...words);
  expect(isRefreshedIndex(index(), before)).toBe(false);
});

it('never throws, and takes nothing but an index for one', () => {
  const { index } = repository(2);
  const real = index();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(real.length - 1), fc.nat(255), (noise, at, value) => {
      expect(isRefreshedIndex(Buffer.from(noise), Buffer.from(noise))).toBe(false);
      const forged = Buffer.from(real);
      forged[at] = value;
      // Its sum is wrong, unless nothing was changed.
      expect(isRefreshedIndex(forged, real)).toBe(forged.equals(real));
    }),
  );
});
