import { describe, expect, it } from 'vitest';
import type { Level, PlaceLevel } from '../place-levels.ts';
import { landlockRules } from './landlock-rules.ts';

/** A workspace with a repository, a secret and sources. */
const TREE: Readonly<Record<string, readonly string[]>> = {
  '/': ['usr', 'w', 'wide'],
  '/usr': ['bin'],
  '/usr/bin': ['git', 'sh'],
  '/w': ['.env', '.git', 'a.txt', 'src', 'secrets'],
  '/w/.git': ['HEAD', 'config', 'hooks', 'objects'],
  '/w/.git/hooks': ['pre-commit'],
  '/w/src': ['a.ts', 'b.ts', 'deep'],
  '/w/src/deep': ['c.ts'],
  '/w/secrets': ['key'],
  '/w2': ['x'],
  '/wide': Array.from({ length: 20_001 }, (_, index) => `f${index}`),
};

const places = (given: Readonly<Record<string, Level>>): PlaceLevel[] => Object.entries(given).map(([path, level]) => ({ path, level }));
const rulesFor = (given: Readonly<Record<string, Level>>) => landlockRules(places(given), (path) => TREE[path]);

/** What the kernel makes of rules: a right holds for a path if a rule on it or above it has the right. */
function allowed(given: Readonly<Record<string, Level>>, path: string): string {
  const { rules } = rulesFor(given);
  const rights = rules
    .filter((rule) => path === rule.path || path.startsWith(rule.path === '/' ? '/' : `${rule.path}/`))
    .flatMap((rule) => rule.rights);
  return ['list', 'read', 'write'].filter((right) => rights.some((one) => one === right)).join(' ');
}

const REPOSITORY = { '/w': 'write', '/w/.env': 'none', '/w/.git': 'write', '/w/.git/config': 'read', '/w/.git/hooks': 'read' } as const;

describe('rules of Landlock', () => {
  it('are one for each place in which nothing has a lesser level', () => {
    expect(rulesFor({ '/usr': 'read', '/w': 'write' })).toEqual({
      rules: [
        { path: '/usr', rights: ['list', 'read'] },
        { path: '/w', rights: ['list', 'read', 'write'] },
      ],
      fixed: [],
    });
  });

  it.each<[string, Readonly<Record<string, Level>>, string, string]>([
    ['a secret', REPOSITORY, '/w/.env', 'list'],
    ['what is beside it', REPOSITORY, '/w/a.txt', 'list read write'],
    ['what is made beside it later', REPOSITORY, '/w/new', 'list'],
    ['what is made in a folder without one', REPOSITORY, '/w/src/new', 'list read write'],
    ['settings of git', REPOSITORY, '/w/.git/config', 'list read'],
    ['a hook', REPOSITORY, '/w/.git/hooks/pre-commit', 'list read'],
    ['a new hook', REPOSITORY, '/w/.git/hooks/new', 'list read'],
    ['objects', REPOSITORY, '/w/.git/objects/ab', 'list read write'],
    ['another folder whose name begins alike', REPOSITORY, '/w2/x', ''],
    ['a place in a read-only one that is writable', { '/w': 'read', '/w/src': 'write' }, '/w/src/a.ts', 'list read write'],
    ['what is beside it', { '/w': 'read', '/w/src': 'write' }, '/w/a.txt', 'list read'],
    ['a shown place in a hidden one', { '/w': 'write', '/w/src': 'none', '/w/src/deep': 'read' }, '/w/src/deep/c.ts', 'list read'],
    ['what is beside that', { '/w': 'write', '/w/src': 'none', '/w/src/deep': 'read' }, '/w/src/a.ts', 'list'],
    ['a file of a hidden folder', { '/w': 'read', '/w/secrets': 'none' }, '/w/secrets/key', 'list'],
    ['the top, of which a part is hidden', { '/': 'read', '/w': 'none' }, '/usr/bin/sh', 'list read'],
    ['that part', { '/': 'read', '/w': 'none' }, '/w/a.txt', 'list'],
    ['a denied program', { '/usr': 'read', '/usr/bin/git': 'none' }, '/usr/bin/git', 'list'],
    ['another program', { '/usr': 'read', '/usr/bin/git': 'none' }, '/usr/bin/sh', 'list read'],
    ['what nothing allows', { '/usr': 'read' }, '/w/a.txt', ''],
    ['a place that is named twice, by its last level', { '/w': 'read' }, '/w/a.txt', 'list read'],
  ])('allow for %s', (_, given, path, rights) => {
    expect(allowed(given, path)).toBe(rights);
  });

  it('say in which folders nothing can be made', () => {
    expect(rulesFor(REPOSITORY).fixed).toEqual(['/w', '/w/.git']);
    expect(rulesFor({ '/w': 'read', '/w/.env': 'none' }).fixed).toEqual([]);
  });

  it('allow never more than the nearest place, whatever the places are', () => {
    const paths = ['/w', '/w/.env', '/w/.git', '/w/.git/config', '/w/src', '/w/src/deep', '/w/src/deep/c.ts'];
    const order: readonly Level[] = ['none', 'read', 'write'];
    for (let number = 0; number < 3 ** paths.length; number += 7) {
      const given: Record<string, Level> = {};
      for (const [index, path] of paths.entries()) given[path] = order[Math.floor(number / 3 ** index) % 3] ?? 'none';
      for (const path of paths) {
        const rights = allowed(given, path)
          .split(' ')
          .filter((right) => right !== 'list' && right !== '');
        expect(rights.length, JSON.stringify({ given, path })).toBeLessThanOrEqual(order.indexOf(given[path] ?? 'none'));
      }
    }
  });

  it('end where there would be too many of them', () => {
    expect(() => rulesFor({ '/wide': 'read', '/wide/f1': 'none' })).toThrow(/More than 20000 places/u);
  });
});
