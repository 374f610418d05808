import { expect, it } from 'vitest';
import { PROTECTED_PLACES, protectedEntry } from './protected-places.ts';
import { hasNoProtectedNames, usualNames } from './usual-names.ts';

const places = PROTECTED_PLACES.map(({ names }) => names.map((name) => name.replace('*', 'x')));

it.each(places.map((names) => [names.join('/'), names] as const))('%s is not overlooked, in whatever way it is written', (_, names) => {
  const written = [names, names.map((name) => name.toUpperCase()), names.map((name) => `${name}.`), names.map((name) => `${name}:x`)];
  for (const place of written) {
    const folder = place.slice(0, -1).join('/');
    const name = place.at(-1) ?? '';
    // The control.
    expect(protectedEntry(place.join('/'))).toBeDefined();
    for (const listing of [`f${name}`, `fa/d${name}`, `d${name}/fb`, `fa/f${name}/fb`])
      expect(hasNoProtectedNames(folder, listing), listing).toBe(false);
  }
});

it.each(['', 'fa', 'fa.js/dsrc', 'f_base.js/fopencode.jsonx/fxopencode.json', 'fcode-workspace'])('%s holds none', (listing) => {
  expect(hasNoProtectedNames('node_modules/a', listing)).toBe(true);
});

it('a name with a wildcard is found with what it stands for', () => {
  const isUsual = usualNames([['id_*'], ['*.key'], ['a+b']]);
  expect(['fid_rsa', 'fx.key', 'fa+b', 'fid', 'fx.keys', 'faab'].map((listing) => isUsual('', listing))).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});
