import { expect, it } from 'vitest';
import { narrowedWalk } from './narrowed-walk.ts';

it('opens the way to each file, and nothing else', () => {
  expect(narrowedWalk([['a', 'b', 'x.ts'], ['a', 'y.ts'], ['z']])).toEqual([
    '/*',
    '!/a/',
    '/a/*',
    '!/a/b/',
    '/a/b/*',
    '!/a/b/x.ts',
    '!/a/y.ts',
    '!/z',
  ]);
});

it('escapes what is special in a rule', () => {
  expect(narrowedWalk([['[a]', '*?{b}\\']])).toEqual(['/*', String.raw`!/\[a\]/`, String.raw`/\[a\]/*`, String.raw`!/\[a\]/\*\?\{b\}\\`]);
});

it.each([['a\nb'], ['a\r'], ['a '], ['\uFFFD'], ['a\u00A0']])('does not write %j', (name) => {
  expect(narrowedWalk([['folder', name]])).toBeUndefined();
});
