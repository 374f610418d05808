import { describe, expect, it } from 'vitest';
import { filesArguments, groupsOf, lineExpression, type MatchRequest, textArguments, type WalkRequest } from './ripgrep-arguments.ts';

const WALK: WalkRequest = { place: './', shallow: false, hidden: false, ignore: [], names: [], excludedNames: [] };
const MATCH: MatchRequest = { pattern: 'foo', literal: false, case: 'sensitive', perFile: 101, maxFileBytes: 16_777_216 };
const ALWAYS = ['--no-config', '--no-messages', '--no-ignore-global', '--no-ignore-dot', '--no-require-git', '--no-follow'];
const LIMITS = ['--regex-size-limit=10M', '--dfa-size-limit=10M'];
const FOO = String.raw`(?R:foo)(?-Rsu:.*)`;

describe('textArguments', () => {
  it.each<[string, Partial<WalkRequest>, Partial<MatchRequest>, string[]]>([
    ['by default', {}, {}, [...ALWAYS, '--json', '--case-sensitive', ...LIMITS, '--max-count=101', '--max-filesize=16777216', '-e', FOO, '--', './']],
    [
      'of a file that was named',
      { place: './-rf' },
      { maxFileBytes: undefined, case: 'smart' },
      [...ALWAYS, '--json', '--smart-case', ...LIMITS, '--max-count=101', '-e', FOO, '--', './-rf'],
    ],
    [
      'of everything there is',
      { hidden: true, ignore: ['--no-ignore'], shallow: true, names: ['*.ts'], excludedNames: ['-x'] },
      { case: 'insensitive', maxFileBytes: undefined },
      [
        ...ALWAYS,
        '--hidden',
        '--no-ignore',
        '--max-depth=1',
        '--type-add=wanted:*.ts',
        '--type=wanted',
        '--glob=!-x',
        '--iglob=!.git',
        '--json',
        '--ignore-case',
        ...LIMITS,
        '--max-count=101',
        '-e',
        FOO,
        '--',
        './',
      ],
    ],
  ])('%s', (_name, walk, match, expected) => {
    expect(textArguments({ ...WALK, ...walk }, { ...MATCH, ...match })).toEqual(expected);
  });

  // With its group open, a pattern goes as it is.
  it.each(['--pre=/bin/sh(', '-f/etc/passwd(', '--('])('binds %s to -e', (pattern) => {
    expect(textArguments(WALK, { ...MATCH, pattern }).slice(-4)).toEqual(['-e', pattern, '--', './']);
  });
});

describe('filesArguments', () => {
  it('lists with NUL after each name', () => {
    expect(filesArguments({ ...WALK, names: ['*.ts', 'a.js'] })).toEqual([
      ...ALWAYS,
      '--type-add=wanted:*.ts',
      '--type-add=wanted:a.js',
      '--type=wanted',
      '--files',
      '--null',
      '--',
      './',
    ]);
  });
});

describe('groupsOf', () => {
  it.each<[string, ReturnType<typeof groupsOf>]>([
    ['foo', 'closed'],
    ['(a|b)(c)', 'closed'],
    [String.raw`\(`, 'closed'],
    ['[)]', 'closed'],
    ['[]()]', 'closed'],
    ['[^])]', 'closed'],
    ['[a[)]b)]', 'closed'],
    [String.raw`[\])]`, 'closed'],
    ['[[:alpha:])]', 'closed'],
    ['(?i)a', 'closed'],
    ['a)(b', 'crossed'],
    ['a)|(b', 'crossed'],
    ['(a', 'open'],
    ['[a', 'open'],
    ['a\\', 'open'],
  ])('%s: %s', (pattern, expected) => {
    expect(groupsOf(pattern)).toBe(expected);
  });
});

describe('lineExpression', () => {
  it.each<[string, boolean, string]>([
    ['foo$', false, String.raw`(?R:foo$)(?-Rsu:.*)`],
    ['a.b(c', true, String.raw`(?R:a\.b\(c)(?-Rsu:.*)`],
    ['(?x)a # )', false, '(?x)a # )'],
    ['a)(b', true, String.raw`(?R:a\)\(b)(?-Rsu:.*)`],
    ['(a', false, '(a'],
  ])('%s, literal %s', (pattern, literal, expected) => {
    expect(lineExpression({ pattern, literal })).toBe(expected);
  });
});
