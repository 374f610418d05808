import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin } from '../../workspace/workspace-path.ts';
import { LEVELS, type Level, type PlaceLevel } from '../place-levels.ts';
import { MACHINE_PLACES } from './machine-places.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

interface Rule {
  readonly allows: boolean;
  readonly operations: readonly string[];
  readonly filter: { readonly kind: string; readonly value: string } | undefined;
}

/** Reads the rules of a profile as `sandbox-exec` documents them: operations, and at most one filter. */
function rulesOf(profile: string): Rule[] {
  return profile.split('\n').flatMap((line) => {
    const found = /^\((?<action>allow|deny) (?<operations>[a-z*\- ]+?)(?: \((?<kind>[a-z-]+) (?:"(?<value>(?:[^"\\]|\\.)*)"|[a-z-]+)\))?\)$/u.exec(
      line,
    );
    if (found?.groups === undefined) return [];
    const { action, operations = '', kind, value = '' } = found.groups;
    const filter = kind === undefined ? undefined : { kind, value: value.replaceAll(/\\(?<plain>.)/gu, '$<plain>') };
    return [{ allows: action === 'allow', operations: operations.split(' '), filter }];
  });
}

const covers = (operation: string, asked: string): boolean =>
  operation === asked || (operation.endsWith('*') && asked.startsWith(operation.slice(0, -1)));

/** What the last rule that fits says. */
function decides(rules: readonly Rule[], operation: string, path: string): boolean {
  const fits = ({ operations, filter }: Rule): boolean =>
    operations.some((one) => one === 'default' || covers(one, operation)) &&
    (filter === undefined || (filter.kind === 'subpath' && isWithin(path, filter.value)) || (filter.kind === 'literal' && path === filter.value));
  return rules.findLast(fits)?.allows === true;
}

const levels = (given: Readonly<Record<string, Level>>): PlaceLevel[] => Object.entries(given).map(([path, level]) => ({ path, level }));
const profileOf = (given: Readonly<Record<string, Level>>, network = false) => rulesOf(seatbeltProfile({ places: levels(given), network }));

it('denies by default, and says so first', () => {
  expect(seatbeltProfile({ places: [], network: false }).split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
});

describe('a command in a workspace', () => {
  const rules = profileOf({ '/w': 'write', '/w/.env': 'none', '/w/.git': 'write', '/w/.git/hooks': 'read', '/Users/me/.ssh': 'none' });
  it.each([
    ['file-read-data', '/w/a.txt', true],
    ['file-write-data', '/w/a.txt', true],
    ['file-write-unlink', '/w/a.txt', true],
    ['process-exec', '/w/build/tool', true],
    ['file-read-data', '/w/.env', false],
    ['file-read-metadata', '/w/.env', false],
    ['file-write-create', '/w/.env', false],
    ['file-write-create', '/w/.git/index.lock', true],
    ['file-read-data', '/w/.git/hooks/pre-commit', true],
    ['file-write-create', '/w/.git/hooks/pre-commit', false],
    // Elsewhere it would have no rule.
    ['file-write-unlink', '/w/.git', false],
    ['file-write-unlink', '/w/.env', false],
    ['file-write-unlink', '/w/.git/index', true],
    ['file-read-data', '/Users/me/.ssh/id_ed25519', false],
    ['file-read-data', '/Users/me/other', false],
    ['file-write-create', '/Users/me/other', false],
    ['process-exec', '/Users/me/other', false],
    ['network-outbound', '', false],
    ['mach-lookup', 'com.apple.pasteboard.1', false],
  ])('%s %s: %s', (operation, path, expected) => {
    expect(decides(rules, operation, path)).toBe(expected);
  });
});

it('opens the network as a whole or not at all', () => {
  expect(decides(profileOf({}, true), 'network-outbound', '')).toBe(true);
  expect(decides(profileOf({}, true), 'network-bind', '')).toBe(true);
});

it('shows no volume, no home folder and no folder of passwords of a Mac', () => {
  const rules = rulesOf(seatbeltProfile({ places: MACHINE_PLACES, network: false }));
  for (const path of [
    '/Users/me/a',
    '/System/Volumes/Data/Users/me/a',
    '/Volumes/Disk/a',
    '/private/etc/master.passwd',
    '/Library/Keychains/a',
    '/private/tmp/a',
  ]) {
    expect(decides(rules, 'file-read-data', path), path).toBe(false);
    expect(decides(rules, 'file-write-create', path), path).toBe(false);
  }
  for (const path of ['/bin/sh', '/usr/lib/dyld', '/System/Library/a']) expect(decides(rules, 'file-read-data', path), path).toBe(true);
});

it('decides for each path by the nearest place above it', () => {
  const name = fc.constantFrom('a', 'b', 'a b', 'a"b', 'a\\', '(a)', 'ä', ';');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`);
  const places = fc.array(fc.record({ path, level: fc.constantFrom(...LEVELS) }), { maxLength: 8 });
  fc.assert(
    fc.property(places, path, (given, asked) => {
      const rules = rulesOf(seatbeltProfile({ places: given, network: false }));
      const nearest = given.filter((place) => isWithin(asked, place.path)).toSorted((one, other) => one.path.length - other.path.length);
      const deepest = nearest.at(-1)?.path;
      // The last of several for one path.
      const level = given.findLast((place) => place.path === deepest)?.level ?? 'none';
      expect(decides(rules, 'file-read-data', asked)).toBe(level !== 'none');
      expect(decides(rules, 'file-write-data', asked)).toBe(level === 'write');
    }),
  );
});

it.each(['/w/a\nb', '/w/a\u0000', '/w/\u0085'])('refuses a path whose characters could mean something else: %j', (path) => {
  expect(() => seatbeltProfile({ places: [{ path, level: 'none' }], network: false })).toThrow(/cannot be given/u);
});
