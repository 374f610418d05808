import { describe, expect, it } from 'vitest';
import { repositoryAddress, withRepository } from '../../scripts/repository.mjs';

describe('the address of the repository', () => {
  const GITHUB = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'ada/engine' };

  it.each([
    [undefined, GITHUB, 'git+https://github.example/ada/engine.git'],
    [undefined, { GITHUB_REPOSITORY: 'ada/engine' }, 'git+https://github.com/ada/engine.git'],
    ['https://codeberg.org/ada/engine', GITHUB, 'git+https://codeberg.org/ada/engine.git'],
    ['https://codeberg.org/ada/engine.git', {}, 'git+https://codeberg.org/ada/engine.git'],
    ['https://codeberg.org/ada/engine/', {}, 'git+https://codeberg.org/ada/engine.git'],
    [undefined, {}, undefined],
    [undefined, { GITHUB_REPOSITORY: '' }, undefined],
  ])('is taken from %j and %j: %j', (given, env, address) => {
    expect(repositoryAddress(given, env)).toBe(address);
  });

  it.each([
    '',
    'ada/engine',
    'http://github.com/ada/engine',
    'https://ada:key@github.com/ada/engine',
    'https://github.com',
    'https://github.com/a?b',
    '../a',
  ])('is not %j', (given) => {
    expect(() => repositoryAddress(given, {})).toThrow('Not the address of a repository');
  });
});

it('is in the manifest with the folder of the package', () => {
  const manifest = { name: '@synapse/hands', version: '1.0.0' };
  const url = 'git+https://github.com/ada/engine.git';
  expect(withRepository(manifest, 'packages/hands', url)).toEqual({ ...manifest, repository: { type: 'git', url, directory: 'packages/hands' } });
  expect(withRepository(manifest, 'packages/hands', undefined)).toBe(manifest);
});
