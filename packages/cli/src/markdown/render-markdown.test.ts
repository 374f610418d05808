import { expect, it } from 'vitest';
import { paintLine, plainLine } from '../output/styled-line.ts';
import { textWidth } from '../output/text-width.ts';
import { renderMarkdown } from './render-markdown.ts';

const plain = (source: string, width = 40): string[] => renderMarkdown(source, width).map(plainLine);

it.each<[name: string, source: string, lines: string[]]>([
  ['headings', '# One\n## Two\ntext', ['One', 'Two', 'text']],
  ['paragraphs, with the line ends of the source', 'a **b** _c_ ~~d~~ `e`\nnext\n\n\n\nlast', ['a b c d e', 'next', '', 'last']],
  ['words that are wrapped', 'aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii', ['aaaa bbbb cccc dddd eeee ffff gggg hhhh', 'iiii']],
  ['a word longer than a line', 'x'.repeat(85), ['x'.repeat(40), 'x'.repeat(40), 'x'.repeat(5)]],
  ['wide characters', '日本語のテキストはスペースなしで続きます。', ['日本語のテキストはスペースなしで続きま', 'す。']],
  ['closing marks at the end of a line', `${'あ'.repeat(20)}。`, ['あ'.repeat(19), 'あ。']],
  ['lists', '- a\n- b\n  1. c\n  2. d\n\n3. e', ['• a', '• b', '  1. c', '  2. d', '', '3. e']],
  ['tasks', '- [x] a\n- [ ] b', ['☑ a', '☐ b']],
  ['lists that are wrapped', `- ${'word '.repeat(9)}`, ['• word word word word word word word', '  word word']],
  ['numbers of one width', '9. a\n10. b', [' 9. a', '10. b']],
  ['quotes', '> a\n> - b', ['│ a', '│ • b']],
  ['code', '```ts\nif (a)\n\treturn;\n\n```', ['  ts', '  if (a)', '      return;', '  ']],
  ['code without an end', '```\nlet a', ['  let a']],
  ['long code', `    ${'y'.repeat(50)}`, [`  ${'y'.repeat(38)}`, `  ${'y'.repeat(12)}`]],
  ['tables', '| a | bb |\n|---|--:|\n| long | 1 |\n| 名 | 22 |', ['a    │ bb', '─────┼───', 'long │  1', '名   │ 22']],
  [
    'tables that are wrapped',
    `| a | b |\n|---|---|\n| x | ${'word '.repeat(12)}|`,
    ['a │ b', `──┼─${'─'.repeat(36)}`, 'x │ word word word word word word word', '  │ word word word word word'],
  ],
  ['rules', 'a\n\n---\nb', ['a', '', '─'.repeat(40), 'b']],
  ['links', '[text](https://a.test/b) https://c.test <d@e.test>', ['text (https://a.test/b) https://c.test', 'd@e.test']],
  ['images', '![alt](x.png)', ['[image: alt] (x.png)']],
  ['entities', '&lt;a&gt; &amp; &unknown; `&lt;`', ['<a> & &unknown; &lt;']],
  ['HTML as text', '<b>x</b>\n\n<div>\ny\n</div>', ['<b>x</b>', '', '<div>', 'y', '</div>']],
  ['references as text', '[a][b]\n\n[b]: https://c.test', ['[a][b]', '', '[b]: https://c.test']],
  ['nothing', '', []],
])('renders %s', (_, source, lines) => expect(plain(source)).toEqual(lines));

it.each([
  ['lists', '- '],
  ['numbered lists', '1. '],
  ['quotes', '> '],
  ['lists in quotes', '> * '],
])('shows %s that nest deeper than the stack as text', (_, mark) => {
  expect(plain(`${mark.repeat(50_000)}x`).join('')).toMatch(/x$/u);
});

it.each(['*', '_', '**', '~'])('takes %s as text in a paragraph with very many of them', (mark) => {
  const words = (count: number): string => Array.from({ length: count }, () => `${mark}a${mark}`).join(' ');
  expect(plain(words(60))[0]).toMatch(/^a a /u);
  expect(plain(words(600))[0]).toMatch(/^(?:\*+|_|~)a/u);
});

it('renders a table without room for columns as records', () => {
  const names = Array.from({ length: 12 }, (_, index) => `name ${index}`);
  const table = `|${names.join('|')}|\n|${'---|'.repeat(12)}\n|${'value|'.repeat(12)}\n`;
  expect(plain(table).slice(0, 2)).toEqual(['name 0: value', 'name 1: value']);
});

it('styles by what a text is', () => {
  const painted = renderMarkdown('## A **b** `c`\n\n```diff\n-x\n+y\n```', 40).map(paintLine).join('\n');
  for (const part of ['\u001B[1mA ', '\u001B[36mc', '\u001B[31m-x', '\u001B[32m+y']) expect(painted).toContain(part);
});

it('names the address of a link, and opens only what a browser opens', () => {
  const painted = (source: string): string => renderMarkdown(source, 200).map(paintLine).join('');
  expect(painted('[bank.test](https://evil.test)')).toContain('(https://evil.test)');
  expect(painted('[a](https://b.test/c)')).toContain('\u001B]8;;https://b.test/c\u001B\\');
  for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'x-man-page:ls', '//b.test'])
    expect(painted(`[a](${address})`)).not.toContain('\u001B]8;;');
});

/** Sequences that act on terminals, in every place where text of a model can stand. */
const HOSTILE = [
  '\u001B[31m',
  '\u001B]0;title\u0007',
  '\u001B]52;c;ZXZpbA==\u0007',
  '\u009B2J',
  '\u0007',
  '\b\b\b',
  '\r',
  '\u202E',
  '\u200B',
  '&#27;[2J',
  '&#x9b;2J',
  '&#x202e;',
  '\u001BP+q544e\u001B\\',
  '\u001B_Gi=1;\u001B\\',
] as const;
const PLACES: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => `# ${text}`,
  (text) => `- ${text}`,
  (text) => `**${text}**`,
  (text) => `\`${text}\``,
  (text) => `\`\`\`${text}\n${text}\n\`\`\``,
  (text) => `    ${text}`,
  (text) => `> ${text}`,
  (text) => `[${text}](https://a.test/${text})`,
  (text) => `![${text}](${text} "${text}")`,
  (text) => `<https://a.test/${text}>`,
  (text) => `| ${text} |\n|---|\n| ${text} |`,
  (text) => `<div ${text}>`,
  (text) => `\\${text}`,
  (text) => `~~~diff\n+${text}\n~~~`,
];
/** What the painter itself writes: styles, and links to addresses of visible characters. */
const ESCAPE = '\u001B';
const OWN = new RegExp(String.raw`${ESCAPE}\[\d+(?:;\d+)*m|${ESCAPE}\]8;;[!-~]*${ESCAPE}\\`, 'gu');

it.each(HOSTILE)('lets %j act nowhere', (hostile) => {
  for (const place of PLACES) {
    const painted = renderMarkdown(place(hostile), 60).map(paintLine);
    for (const line of painted) expect(line.replaceAll(OWN, '')).not.toMatch(/[\p{Cc}\u200B\u202E]/u);
  }
});

it('notices what acts: a control for the rows above', () => {
  expect('\u001B[2J'.replaceAll(OWN, '')).toMatch(/\p{Cc}/u);
});

it.each([10, 20, 33, 60, 79])('keeps every line within %d cells', (width) => {
  const source = `# ${'日本 '.repeat(30)}\n\n- ${'a👩‍💻 '.repeat(20)}\n  - ${'x'.repeat(90)}\n\n| ${'w'.repeat(50)} | b |\n|---|---|\n| ${'値'.repeat(40)} | y |\n\n> > ${'q '.repeat(70)}\n\n\`\`\`\n${'c'.repeat(200)}\n\`\`\``;
  for (const line of plain(source, width)) expect(textWidth(line)).toBeLessThanOrEqual(width);
});
