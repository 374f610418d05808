import { expect, it } from 'vitest';
import { rulesFromAbove, rulesFromBelow } from './ignore-rules.ts';

it('writes the rules of a folder below', () => {
  const text = '\uFEFFa\n/b\nc/\nd/e\n!f\n# note\n\n\\#g\n\\!h \n i\\ \n**/j\nb\uFFFDd\n/\n';
  expect(rulesFromBelow(text, ['x', 'y*'])).toEqual([
    String.raw`/x/y\*/**/a`,
    String.raw`/x/y\*/b`,
    String.raw`/x/y\*/**/c/`,
    String.raw`/x/y\*/d/e`,
    String.raw`!/x/y\*/**/f`,
    String.raw`/x/y\*/**/#g`,
    String.raw`/x/y\*/**/!h`,
    String.raw`/x/y\*/**/ i\ `,
    String.raw`/x/y\*/**/j`,
  ]);
  expect(rulesFromBelow('a\r\n/b\r\n', [])).toEqual(['/**/a', '/b']);
  expect(rulesFromBelow('a\n', ['new\nline'])).toBeUndefined();
});

it('writes the rules of a folder above', () => {
  const text = '*.o\n!keep.o\n/x/a\n/x/y/b\n/x/*/c/\n**/y/d\nx/**\n/z/e\n/x\n/[w-x]/?/f\n/x/y/\n';
  expect(rulesFromAbove(text, ['x', 'y'])).toEqual(['**/*.o', '!**/keep.o', '/b', '/c/', '/**/y/d', '/y/d', '/d', '/**', '/f']);
  expect(rulesFromAbove(text, ['x'])).toEqual(['**/*.o', '!**/keep.o', '/a', '/y/b', '/*/c/', '/**/y/d', '/y/d', '/**', '/?/f', '/y/']);
});

it('takes no longer for many stars', () => {
  expect(rulesFromAbove(`/${'*a'.repeat(1_000)}/b\n/${'**/'.repeat(1_000)}c\n`, ['a'.repeat(255), 'x'])).toContain('/c');
});
