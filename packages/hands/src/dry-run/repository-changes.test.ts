import { expect, it } from 'vitest';
import { isRepositoryData, withoutGitData } from './repository-changes.ts';

it.each([
  ['.git/refs/heads/main', true],
  ['.GIT/refs/heads/main', true],
  ['.git/config', false],
  // Their submodule is not described.
  ['.git/modules/x/refs/heads/main', false],
  ['.GIT/MODULES/x/refs/heads/main', false],
])('%s is data of a repository: %s', (path, expected) => {
  expect(isRepositoryData(path)).toBe(expected);
});

it('leaves the data out of changes, however many there are', () => {
  const count = 50_000;
  const changes = Array.from({ length: 2 * count }, (_, index) => ({
    path: index < count ? `f${index}` : `.git/objects/ab/${index}`,
    kind: 'created' as const,
  }));
  const { changes: shown, repositories } = withoutGitData({ changes, repositories: ['git: branch main is new, at 1234567'] });
  expect(shown).toEqual(changes.slice(0, count));
  expect(repositories).toEqual(['git: branch main is new, at 1234567', 'git: 50,000 files of its own data']);
});

it.each([
  ['17.4MB, not kept → 17.4MB, not kept', 0],
  ['1.2GB, not kept', 0],
  ['binary, 3B', 0],
  ['17.4MB, not kept; mode 444 → 755', 1],
  ['a link to /etc → 17.4MB, not kept', 1],
])('of a pack with the note "%s", shows %i', (note, expected) => {
  const { changes } = withoutGitData({ changes: [{ path: '.git/objects/pack/pack-1.pack', kind: 'changed', note }], repositories: [] });
  expect(changes).toHaveLength(expected);
});
