import fc from 'fast-check';
import ignore from 'ignore';
import { expect, it } from 'vitest';
import { gitignoreMatcher } from './gitignore-pattern.ts';

const SEED = 20_261_126;
const name = fc
  .string({ unit: fc.constantFrom('a', 'a', 'b', 'A', '.', ' ', 'é', '1'), minLength: 1, maxLength: 2 })
  .filter((text) => !/^\.+$/u.test(text));
const piece = fc.oneof(
  { weight: 4, arbitrary: name },
  fc.constantFrom(
    '*',
    '**',
    '***',
    '?',
    'a*',
    '*b',
    'a*b*',
    '[ab]',
    '[!a]',
    '[a-c]x',
    '[[:alpha:]]',
    '[^[:digit:]]*',
    String.raw`\*`,
    String.raw`\a`,
    '[]a]',
    '[a',
    '{a,b}',
    '(a|b)',
  ),
);
const pattern = fc
  .tuple(fc.constantFrom('', '/', '**/'), fc.array(piece, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '/', '/**', '/*', '/**/'))
  .map(([start, pieces, end]) => `${start}${pieces.join('/')}${end}`)
  .filter((text) => !/^[#!]/u.test(text) && text.trim() !== '');
const path = fc.tuple(fc.array(name, { minLength: 1, maxLength: 6 }), fc.constantFrom('', '', '/')).map(([names, end]) => names.join('/') + end);

it.each([false, true])('matches what git ignores (ignoring case: %s)', (ignoreCase) => {
  let matched = 0;
  fc.assert(
    fc.property(pattern, fc.array(path, { minLength: 1, maxLength: 6 }), (text, paths) => {
      const expected = ignore({ ignorecase: ignoreCase, allowRelativePaths: true }).add(text);
      const matches = gitignoreMatcher(text, ignoreCase);
      for (const one of paths) {
        const wanted = expected.ignores(one);
        if (wanted) matched += 1;
        expect([text, one, matches(one)]).toEqual([text, one, wanted]);
      }
    }),
    { seed: SEED, numRuns: 4_000 },
  );
  expect(matched, `of seed ${SEED}`).toBeGreaterThan(300);
});

it.each(['secrets', 'secrets/*/*.ini', '**/secrets/**', '*.ini', '/**/Secrets/*k*/*'])('%s matches letters that share only a capital', (text) => {
  const matches = gitignoreMatcher(text, true);
  expect(['secrets/k/a.ini', 'ſecretſ/\u212A/a.ını', 'SECRETS/K/A.INI', 'secret/k/a.in'].map((one) => matches(one))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

it('looks at a path in steps that do not grow with the ways to match it', () => {
  // A backtracking expression takes 2^30 steps for these.
  const deep = `${'a1/'.repeat(30)}b`;
  expect(gitignoreMatcher(`${'**/a*/'.repeat(30)}c`, false)(deep)).toBe(false);
  expect(gitignoreMatcher(`${'**/a*/'.repeat(30)}b`, false)(deep)).toBe(true);
  expect(gitignoreMatcher(`${'*a'.repeat(200)}c`, false)('a'.repeat(4_000))).toBe(false);
});
