import { describe, expect, it } from 'vitest';
import { commitArgument, parseComparison, parseHistory, parseRevision, parseSingleRevision, splitRevisionPath } from './revision.ts';

describe('parseRevision', () => {
  it.each(['main', 'HEAD~2', 'a..b', 'a...b', 'v1.0', '@{-1}', 'feature/x-y', ':/fix', '..b', ' main '])('takes %j', (text) =>
    expect(parseRevision(text)).toBe(text.trim()),
  );
  it.each(['', ' ', '..', '...', '-', '--all', ' -x', 'a..-b', 'a...--output=x', 'a\nb', 'a\0b', '\ud800', 'x'.repeat(1_001)])('refuses %j', (text) =>
    expect(() => parseRevision(text)).toThrow(expect.objectContaining({ code: 'invalid_arguments' })),
  );
});

describe('parseComparison', () => {
  it.each([
    ['HEAD', 'HEAD^{commit}'],
    ['a..b', 'a^{commit}..b^{commit}'],
    ['a...b', 'a^{commit}...b^{commit}'],
    ['..b', '..b^{commit}'],
    ['HEAD^!', 'HEAD^{commit}^!'],
    ['HEAD^-2', 'HEAD^{commit}^-2'],
    ['HEAD^{/fix: it}', 'HEAD^{/fix: it}^{commit}'],
  ])('compares commits: %s', (text, expected) => {
    expect(parseComparison(text)).toBe(expected);
  });

  it.each(['HEAD:.env', ':.env', ':0:.env', 'a..HEAD:.env', 'HEAD^{x}:.env', '{a{b}:.env', '-x'])('and no content: %s', (text) => {
    expect(() => parseComparison(text)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }));
  });
});

it('takes one revision where one is needed', () => {
  expect(parseSingleRevision('HEAD')).toBe('HEAD');
  expect(parseSingleRevision(':/fix: it')).toBe(':/fix: it');
  for (const range of ['a..b', '^a']) expect(() => parseSingleRevision(range)).toThrow('not a range');
  for (const path of ['HEAD:secrets', 'HEAD^{tree}:a', ':0:a', ':a']) expect(() => parseSingleRevision(path)).toThrow('names a file or a folder');
});

it.each([
  ['main', 'main^{commit}'],
  ['a..b', 'a^{commit}..b^{commit}'],
  ['..b', '..b^{commit}'],
  ['^a', '^a^{commit}'],
  ['a^!', 'a^{commit}^!'],
  ['a^@', 'a^{commit}^@'],
  ['a^-2', 'a^{commit}^-2'],
  ['main@{yesterday at 10:00}', 'main@{yesterday at 10:00}^{commit}'],
  // All that follows is the text that is looked for.
  [':/fix: it', ':/fix: it'],
])('makes commits of %s', (text, revision) => {
  expect(parseHistory(text)).toBe(revision);
  expect(parseComparison(text)).toBe(revision);
});

it.each(['main:d', 'main..main:d', ':0:d', ':d', ':/fix..main:d', '^:/fix:d'])('takes no history or comparison of %s', (text) => {
  for (const parse of [parseHistory, parseComparison]) expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }));
});

it.each([
  ['v1', 'v1^{commit}'],
  [':/fix', ':/fix'],
])('makes the argument of %s', (text, argument) => expect(commitArgument(text)).toBe(argument));

it.each([
  ['HEAD:src/a.ts', 'HEAD', 'src/a.ts'],
  ['HEAD^{/fix: it}:a:b', 'HEAD^{/fix: it}', 'a:b'],
  ['main@{yesterday}:x', 'main@{yesterday}', 'x'],
  ['HEAD', 'HEAD', undefined],
  ['HEAD^{/fix: it}', 'HEAD^{/fix: it}', undefined],
  [':/fix: it', ':/fix: it', undefined],
  ['main:', 'main', '.'],
  ['main::a', 'main::a', undefined],
  [':0:a', ':0:a', undefined],
])('splits %s', (text, revision, path) => expect(splitRevisionPath(text)).toEqual({ revision, path }));
