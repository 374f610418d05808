import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { expandBraces } from './brace-expansion.ts';
import { compileGlobs, endingsOf, pathsEndingIn } from './glob.ts';

/** Whether the globs want a path, wherever its walk begins. */
function wants(globs: readonly string[], path: string): boolean {
  const filter = compileGlobs(globs);
  const names = path.split('/');
  const base = names.slice(0, filter.base.length);
  return base.join('/') === filter.base.join('/') && filter.matches(names.slice(base.length));
}

describe('compileGlobs', () => {
  it.each<[string | string[], string, boolean]>([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['/*.ts', 'src/a.ts', false],
    ['./*.ts', 'a.ts', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.{ts,tsx}', 'src/a.tsx', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/*.ts', 'lib/src/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/**', 'src', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/test/**/*.ts', 'src/a/test/b/c.ts', true],
    ['src/', 'lib/src/a.ts', true],
    ['src/', 'lib/src', false],
    ['**', 'a/b/c', true],
    ['a**b', 'aXb', true],
    ['a**b', 'a/b', false],
    ['?.ts', 'é.ts', true],
    ['?.ts', '😀.ts', true],
    ['[ab].ts', 'b.ts', true],
    ['[!ab].ts', 'b.ts', false],
    ['[a-c]x', 'bx', true],
    ['[]]x', ']x', true],
    [String.raw`\*.ts`, '*.ts', true],
    [String.raw`\*.ts`, 'a.ts', false],
    [String.raw`\{a,b}`, '{a,b}', true],
    ['{src,lib}/*.{js,ts}', 'lib/a.js', true],
    ['{a,b/c}/d', 'b/c/d', true],
    ['{,x}a', 'a', true],
    ['-rf', 'x/-rf', true],
    ['--pre=sh', '--pre=sh', true],
    [['*.ts', '!*.test.ts'], 'a.test.ts', false],
    [['*.ts', '!*.test.ts'], 'a.ts', true],
    ['!*.ts', 'a.js', true],
    ['!*.ts', 'a.ts', false],
    ['!dist', 'pkg/dist/a.js', false],
    ['!dist/', 'pkg/dist/a.js', false],
    ['!/dist', 'pkg/dist/a.js', true],
    [['src/**/*.ts', '!src/gen'], 'src/gen/a.ts', false],
  ])('%s: %s %s', (globs, path, expected) => {
    expect(wants([globs].flat(), path)).toBe(expected);
  });

  it.each<[string[], string[], string[], string[]]>([
    [['src/**/*.ts'], ['src'], ['*.ts'], []],
    [['packages/a/src/*.ts', 'packages/b/*.js'], ['packages'], ['*.ts', '*.js'], []],
    [['*.ts', '!node_modules', '!/a/b'], [], ['*.ts'], ['node_modules']],
    [['*.ts', '!node_modules/', '!a/b/', '!*.d/'], [], ['*.ts'], ['node_modules/', '*.d/']],
    [['?.ts', 'a?b.js', '!?.ts'], [], ['*.ts', 'a*b.js'], []],
    [['??'], [], [], []],
    [['src/**'], ['src'], [], []],
    [['**/[ab].ts'], [], [], []],
    [['*.ts', '**'], [], [], []],
  ])('%j: where to begin, which names, which not', (globs, base, names, excludedNames) => {
    expect(compileGlobs(globs)).toMatchObject({ base, names, excludedNames });
  });

  it.each<[string, string, RegExp]>([
    ['../**', 'outside_workspace', /leaves the folder/u],
    ['a/../../b', 'outside_workspace', /leaves the folder/u],
    ['{a,..}/x', 'outside_workspace', /leaves the folder/u],
    ['{a', 'invalid_arguments', /without its \}/u],
    ['[a', 'invalid_arguments', /without its \]/u],
    ['a\\', 'invalid_arguments', /backslash/u],
    ['{a,b}'.repeat(18), 'invalid_arguments', /128 alternatives/u],
    [`${'{'.repeat(200)}a${'}'.repeat(200)}`, 'invalid_arguments', /braces more than 8 deep/u],
    ['x'.repeat(2_000), 'invalid_arguments', /1000 characters/u],
  ])('refuses %.40s', (glob, code, message) => {
    expect(() => compileGlobs([glob])).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  it('takes no longer for what makes a regular expression hang', () => {
    const started = computedMs();
    expect(wants([`${'*a'.repeat(100)}b`], 'a'.repeat(255))).toBe(false);
    expect(wants([`${'**/a/'.repeat(100)}b`], Array.from({ length: 300 }, () => 'a').join('/'))).toBe(false);
    expect(computedMs() - started).toBeLessThan(1_000);
  });
});

describe('expandBraces', () => {
  it.each<[string, string[]]>([
    ['a', ['a']],
    ['{a}', ['a']],
    ['{a,b}c', ['ac', 'bc']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd']],
    ['[{,]x', ['[{,]x']],
    ['a,b}', ['a,b}']],
  ])('%s', (glob, expected) => {
    expect(expandBraces(glob)).toEqual(expected);
  });
});

describe('a fast check of the last name', () => {
  it.each<[string[], string, boolean]>([
    [['*.ts'], 'a/b.ts', true],
    [['*.ts'], 'a.ts/b.js', false],
    [['*.ts', '*.js'], 'b.js', true],
    [['a*c-?.ts'], 'x/abc-d.ts', true],
    [['a*c-?.ts'], 'x/abc-d/e.ts', false],
    [['a?c'], 'a\u00c3\u00b6c', true],
    [['a.c'], 'abc', false],
    [['a.c'], 'x/a.c', true],
    [['a.c'], 'x/ba.c', false],
    [['a*a'], 'a', false],
    [['*b*b*'], 'x/b', false],
    [['*b*b*'], 'x/b/ab', false],
    [['*b*b*'], 'x/abcb', true],
    [['a*b*c'], 'x/acb', false],
    [['???'], 'x/\u00c3\u00b6ab', true],
    [[], 'anything', true],
  ])('%j %s: %s', (names, path, expected) => {
    expect(pathsEndingIn(names)(path)).toBe(expected);
  });

  it('never leaves out what a glob matches', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*?.]{0,7}[ab*?]$/u), fc.stringMatching(/^[ab.]{1,12}$/u), (glob, name) => {
        const filter = compileGlobs([glob]);
        expect(pathsEndingIn(filter.names)(`x/${name}`) || !filter.matches(['x', name])).toBe(true);
        const endings = endingsOf(filter.names);
        expect(endings.length === 0 || endings.some((ending) => name.endsWith(ending)) || !filter.matches(['x', name])).toBe(true);
      }),
    );
  });

  it('knows the end of what has a certain one', () => {
    expect(endingsOf(['*.ts', 'a?b'])).toEqual(['.ts', 'b']);
    expect([endingsOf([]), endingsOf(['*.ts', 'a*'])]).toEqual([[], []]);
  });

  it('takes no longer for many wildcards', () => {
    expect(pathsEndingIn([`${'*a'.repeat(100)}*b`])(`x/${'a'.repeat(250)}`)).toBe(false);
  });
});
