import { expect, it } from 'vitest';
import { firstParagraph } from './readme.ts';

it.each([
  ['prose below a heading', '# Thing\n\nA [thing](http://x) that **does**\nthings.\n\nMore.', { value: 'A thing that does things.', line: 3 }],
  ['badges and pictures first', '# T\n[![ci](a)](b)\n![logo](x.png)\n<p align="center">\n</p>\n\nReal words.', { value: 'Real words.', line: 7 }],
  ['an underlined heading', 'Thing\n=====\n\nWords here.', { value: 'Words here.', line: 4 }],
  ['front matter', '---\ntitle: x\n---\nWords.', { value: 'Words.', line: 4 }],
  ['a fence', '```\ncode\n```\nWords.', { value: 'Words.', line: 4 }],
  ['a comment of several lines', '<!--\nhidden\n-->\nWords.', { value: 'Words.', line: 4 }],
  ['names with underscores', 'Set _the_ my_long_name to `a_b_c`.', { value: 'Set the my_long_name to a_b_c.', line: 1 }],
  ['a quotation', '> Words.', { value: 'Words.', line: 1 }],
  ['old line ends', '# T\r\n\r\nWords.\r\n', { value: 'Words.', line: 3 }],
  ['nothing but headings', '# A\n## B\n', undefined],
  ['nothing', '', undefined],
])('finds the first paragraph: %s', (_name, text, paragraph) => {
  expect(firstParagraph(text)).toEqual(paragraph);
});

it('reads hostile markup in time', () => {
  expect(
    firstParagraph(`${'['.repeat(50_000)}\n${'*'.repeat(50_000)}a\n${'![a]('.repeat(20_000)}\n${'_'.repeat(50_000)}b\n${'_a '.repeat(20_000)}`)?.line,
  ).toBe(1);
});
