import { describe, expect, it } from 'vitest';
import { parseComparison, parseRevision, parseSingleRevision, splitRevisionPath } from './revision.ts';

describe('parseRevision', () => {
  it.each(['main', 'HEAD~2', 'a..b', 'a...b', 'v1.0', '@{-1}', 'feature/x-y', ':/fix', '..b', ' main '])('takes %j', (text) =>
    expect(parseRevision(text)).toBe(text.trim()),
  );
  it.each(['', ' ', '-', '--all', ' -x', 'a..-b', 'a...--output=x', 'a\nb', 'a\0b', '\ud800', 'x'.repeat(1_001)])('refuses %j', (text) =>
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
  expect(() => parseSingleRevision('a..b')).toThrow('not a range');
});

it.each([
  ['HEAD:src/a.ts', 'HEAD', 'src/a.ts'],
  ['HEAD^{/fix: it}:a:b', 'HEAD^{/fix: it}', 'a:b'],
  ['main@{yesterday}:x', 'main@{yesterday}', 'x'],
  ['HEAD', 'HEAD', undefined],
  ['HEAD^{/fix: it}', 'HEAD^{/fix: it}', undefined],
  [':/fix: it', ':/fix: it', undefined],
  [':0:a', ':0:a', undefined],
])('splits %s', (text, revision, path) => expect(splitRevisionPath(text)).toEqual({ revision, path }));
