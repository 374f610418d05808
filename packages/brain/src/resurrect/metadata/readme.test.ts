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
  [
    'no thanks to sponsors',
    '# T\n\nThanks to our **gold sponsors**: [Acme](https://acme.example).\n\nA client for HTTP.',
    { value: 'A client for HTTP.', line: 5 },
  ],
  ['no section about sponsors', '# T\n## Sponsors\n\nAcme makes paper.\n\n## About\nA parser.', { value: 'A parser.', line: 7 }],
  ['no underlined section about sponsors', 'Sponsors\n--------\nAcme makes paper.\n\nAbout\n-----\nA parser.', { value: 'A parser.', line: 7 }],
  ['no request for money', 'Please support this project on Patreon.\n\nA parser.', { value: 'A parser.', line: 3 }],
  ['no sponsor alone', 'T is sponsored by Acme, the paper mill.', undefined],
  [
    'what a project about money does',
    '# Ledger\nTracks donations and sponsors of clubs.',
    { value: 'Tracks donations and sponsors of clubs.', line: 2 },
  ],
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
