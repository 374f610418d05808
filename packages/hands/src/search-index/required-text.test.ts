import { describe, expect, it } from 'vitest';
import { gramsOf } from './gram-filter.ts';
import { plainText, requiredGrams, type LinePattern } from './required-text.ts';

type Case = LinePattern['case'];

const grams = (...texts: string[]): number[] => [...new Set(texts.flatMap((text) => [...gramsOf(Buffer.from(text))]))];
const required = (pattern: string, rest: Partial<LinePattern> = {}) =>
  requiredGrams({ pattern, literal: false, case: 'sensitive', ...rest })?.map((list) => [...list]);

describe('what each matching line holds', () => {
  it.each<[string, string[][]]>([
    ['needle', [['needle']]],
    ['foobar|needle', [['foobar'], ['needle']]],
    ['import .* from', [['import ', ' from']]],
    [String.raw`\bneedle\b`, [['needle']]],
    [String.raw`^needle\(this\)$`, [['needle(this)']]],
    ['needles?', [['needle']]],
    ['needles*end', [['needle']]],
    ['needles+', [['needles']]],
    ['needles+*', [['needle']]],
    ['needles++*', [['needle']]],
    ['needles{0,2}', [['needle']]],
    ['needle[s)|(]+', [['needle']]],
    ['needle[]|x]', [['needle']]],
    ['needle[[:alpha:]|]', [['needle']]],
    ['needle(abcd|efgh)?', [['needle']]],
    [String.raw`needle(\)|[)])x`, [['needle']]],
    ['(?:abcd)needle', [['needle']]],
    ['Grö+ße', [['Grö', 'ße']]],
  ])('%s', (pattern, lists) => {
    const expected = lists.map((texts) => grams(...texts));
    expect(required(pattern)).toEqual(expected.every((list) => list.length > 0) ? expected : undefined);
  });

  it.each([
    'abc',
    'a.b.c.d.e',
    'needle|',
    '|needle',
    'needle|ab',
    '(?i)needle',
    '(?i:needle)',
    String.raw`\x41bcdefg`,
    String.raw`\pLneedle`,
    'needle{',
    'needle[',
    'needle)',
    'needle(',
    'a\nbcdef',
    'a\0bcdef',
    '\ud800abcdef',
  ])('is unknown for %j', (pattern) => {
    expect(required(pattern)).toBeUndefined();
  });

  it('has no letters with other cases where case does not count', () => {
    expect(required('sisters', { case: 'insensitive' })).toBeUndefined();
    expect(required('needle|makefile', { case: 'insensitive' })).toEqual([grams('needle'), grams('efile')]);
    expect(required('größer', { case: 'smart' })).toBeUndefined();
  });

  it.each([
    ['(', ')'],
    ['[', ']'],
  ])('is found however deep %s nests', (open, close) => {
    const [opened, closed] = [open.repeat(100_000), close.repeat(100_000)];
    expect(required(`needle${opened}a${closed}`)).toEqual([grams('needle')]);
    expect(required(`needle${opened}a`)).toBeUndefined();
  });

  it('takes a plain text as it is', () => {
    expect(required('a|b(c', { literal: true })).toEqual([grams('a|b(c')]);
  });
});

describe('a plain text', () => {
  it.each<[string, boolean, Case, boolean]>([
    ['needle', false, 'sensitive', true],
    ['nee.le', false, 'sensitive', false],
    ['nee.le', true, 'sensitive', true],
    ['needle', true, 'insensitive', false],
    ['needle', true, 'smart', false],
    ['Needle', false, 'smart', true],
    ['nee\0dle', true, 'sensitive', false],
  ])('%j literal=%s %s: %s', (pattern, literal, casing, isPlain) => {
    expect(plainText({ pattern, literal, case: casing })?.toString()).toBe(isPlain ? pattern : undefined);
  });
});
