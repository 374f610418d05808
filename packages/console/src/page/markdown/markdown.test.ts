import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBlocks } from './parse-blocks.ts';
import { parseInline, type Inline } from './parse-inline.ts';

const text = (value: string): Inline => ({ type: 'text', text: value });

it.each<[string, readonly Inline[]]>([
  ['plain', [text('plain')]],
  ['`code`', [{ type: 'code', text: 'code' }]],
  [
    '**a** *b* ~~c~~',
    [
      { type: 'strong', children: [text('a')] },
      text(' '),
      { type: 'emphasis', children: [text('b')] },
      text(' '),
      { type: 'deleted', children: [text('c')] },
    ],
  ],
  ['read_file_now', [text('read_file_now')]],
  ['[site](https://example.com/a)', [{ type: 'link', href: 'https://example.com/a', children: [text('site')] }]],
  [String.raw`\*not\*`, [text('*'), text('not'), text('*')]],
])('%s', (given, expected) => {
  expect(parseInline(given)).toEqual(expected);
});

describe('what is hostile stays text', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>1</script>)',
    '[x](vbscript:1)',
    '[x](//evil.example)',
    '[x](file:///etc/passwd)',
    '![beacon](https://evil.example/pixel.png)',
    '<javascript:alert(1)>',
  ])('%s', (given) => {
    const kinds = JSON.stringify(parseInline(given));
    expect(kinds).not.toContain('"link"');
    expect(kinds).not.toContain('"href"');
  });
});

it('takes a report apart', () => {
  const kinds = (given: string): string[] => parseBlocks(given.split('\n')).map(({ type }) => type);
  expect(
    kinds('# A\n\ntext\nmore\n\n- one\n- two\n  - deep\n\n1. x\n\n> quote\n\n```js\n# no heading\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n---'),
  ).toEqual(['heading', 'paragraph', 'list', 'list', 'quote', 'code', 'table', 'rule']);
  expect(parseBlocks(['- one', '  - deep', '- two'])[0]).toMatchObject({ type: 'list', items: [[{}, { type: 'list' }], [{}]] });
});

it('ends, whatever it is given', () => {
  const given = fc.string({
    unit: fc.constantFrom('#', '-', '*', '_', '`', '>', '|', '[', ']', '(', ')', '!', ' ', '\n', 'a', '1', '.'),
    maxLength: 400,
  });
  const parse = (text: string): void => {
    for (const block of parseBlocks(text.split('\n'))) if ('text' in block) parseInline(block.text);
  };
  expect(() => fc.assert(fc.property(given, parse))).not.toThrow();
});

it('is not slow where somebody wants it to be', () => {
  const before = process.cpuUsage();
  for (const given of ['*'.repeat(9_000), '['.repeat(9_000), '`'.repeat(9_000), '**a '.repeat(3_000), `${'> '.repeat(2_000)}x`, '_a'.repeat(4_000)]) {
    parseInline(given);
    parseBlocks([given]);
  }
  // Of the processor, which other programs do not use up: quadratic work takes minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
});
