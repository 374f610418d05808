import { describe, expect, it } from 'vitest';
import { BRANCHES, latestRelease, looseReferences, packedReferences, TAGS } from './references.ts';

const id = 'a'.repeat(40);

describe('references', () => {
  it('are read from packed-refs with their lines', () => {
    const text = `# pack-refs with: peeled\n${id} refs/heads/main\n${id} refs/remotes/origin/x\n${id} refs/tags/v1.0\n^${id}\n`;
    expect(packedReferences(text, 'p', 1, 'heads')).toEqual([{ name: 'main', path: 'p', line: 2 }]);
    expect(packedReferences(text, 'p', 11, 'tags')).toEqual([{ name: 'v1.0', path: 'p', line: 14 }]);
  });

  it('are read from files', () => {
    const files = [
      { path: `${BRANCHES}feature/x`, modified: 5 },
      { path: `${TAGS}v1`, modified: 6 },
    ];
    expect(looseReferences(files, BRANCHES)).toEqual([{ name: 'feature/x', path: `${BRANCHES}feature/x`, modified: 5 }]);
  });

  it.each(['--output=x', '-x', 'a..b', 'a...b', 'a@{1}', 'a b', 'a\u0000', '../x', 'a//b', '', 'a:b', 'a^', 'a~1', 'a*', 'refs/../x'])(
    'with the name %j are left out: they could mean something else to git',
    (name) => {
      expect(looseReferences([{ path: BRANCHES + name, modified: 0 }], BRANCHES)).toEqual([]);
      expect(packedReferences(`${id} refs/heads/${name}`, 'p', 1, 'heads')).toEqual([]);
    },
  );
});

it.each([
  [['v1.9.0', 'v1.10.0', 'v1.2.0'], 'v1.10.0'],
  [['v2.0.0-rc.1', 'v2.0.0'], 'v2.0.0'],
  [['pkg@x', 'release/3.1', '3.0.5'], 'release/3.1'],
  [['nightly', 'latest'], undefined],
  [[], undefined],
])('of %j the latest release is %s', (names, latest) => {
  expect(latestRelease(names.map((name) => ({ name, path: name })))?.name).toBe(latest);
});
