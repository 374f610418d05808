import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainLine, type Line } from '../output/styled-line.ts';
import { MarkdownStream } from './markdown-stream.ts';
import { renderMarkdown } from './render-markdown.ts';

/** What Markdown is made of, and what breaks it. */
const PIECES = [
  '# Title',
  '## Next `code`',
  'Some **bold** text, *thin* too.',
  'word ',
  '日本語の文章です。',
  '👩‍💻 a',
  '- one',
  '  - inner',
  '    more',
  '* star',
  '3. three',
  '- [ ] open',
  '> quoted',
  '| a | b |',
  '|---|:-:|',
  '| 1 | 2 |',
  '```ts',
  '```',
  '~~~',
  '   ```',
  'const a = `x`;',
  '\tindented',
  '    four',
  '---',
  '===',
  '[a]: http://b.test',
  '[a](http://b.test)',
  '<div>',
  '</div>',
  '<!-- x',
  '-->',
  '**',
  '`',
  '\u001B[31m',
  '\\',
  '',
  ' ',
] as const;

const pieces = fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom('\n', '\n', '\n\n', '', '\r\n')), { maxLength: 24 });
const source = pieces.map((all) => all.map(([piece, end]) => piece + end).join(''));
const width = fc.integer({ min: 4, max: 60 });

function streamed(parts: readonly string[], columns: number): Line[] {
  const stream = new MarkdownStream(columns);
  const lines = parts.flatMap((part) => {
    const done = stream.push(part);
    stream.live();
    return done;
  });
  return [...lines, ...stream.end()];
}

function cut(text: string, at: readonly number[]): string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].toSorted((one, other) => one - other);
  return [...places, text.length].map((end, index) => text.slice(index === 0 ? 0 : places[index - 1], end));
}

it('shows the same lines, however a text is cut, as when the whole is rendered', () => {
  fc.assert(
    fc.property(source, width, fc.array(fc.nat(), { maxLength: 12 }), (text, columns, at) => {
      expect(streamed(cut(text, at), columns)).toEqual(renderMarkdown(text, columns));
    }),
    { numRuns: 400, seed: Number(process.env['SEED'] ?? Date.now()), verbose: 1 },
  );
});

it('shows in the end what it showed as unfinished', () => {
  fc.assert(
    fc.property(source, width, (text, columns) => {
      const stream = new MarkdownStream(columns);
      const done = stream.push(text);
      const live = stream.live();
      // A line that may still close the code is shown as code.
      fc.pre(!/^ *[`~]+ *$/mu.test(text.split('\n').at(-1) ?? ''));
      expect([...done, ...live]).toEqual([...done, ...stream.end()]);
    }),
    { numRuns: 200, seed: Number(process.env['SEED'] ?? Date.now()), verbose: 1 },
  );
});

it('leaves no empty line before the first line when a block before it has none', () => {
  const text = '   ```\n   ```\n\n# Title\n';
  for (const source of [text, `${text}\n${text}`, `${text}x`, `\n\n${text}`]) expect(streamed([source], 40)).toEqual(renderMarkdown(source, 40));
});

it('ends code at a line of its own mark only', () => {
  const text = '```\n```~~~\n# Code\n~~~\n```\nText\n';
  expect(streamed([text], 40).map(plainLine)).toEqual(['  ```~~~', '  # Code', '  ~~~', 'Text']);
  expect(streamed([text], 40)).toEqual(renderMarkdown(text, 40));
});

it('parses nothing again until more text comes', () => {
  const stream = new MarkdownStream(40);
  stream.push('Some **bold** te');
  const shown = stream.live();
  expect(stream.live()).toBe(shown);
  stream.push('xt');
  expect(stream.live().map(plainLine)).toEqual(['Some bold text']);
  stream.end();
  expect(stream.live()).toEqual([]);
});

it('shows lines of code at once, and a paragraph when the next block begins', () => {
  const stream = new MarkdownStream(40);
  const shown = (text: string): string[] => stream.push(text).map(plainLine);
  expect(shown('Look:\n')).toEqual([]);
  expect(stream.live().map(plainLine)).toEqual(['Look:']);
  expect(shown('\n```js\n')).toEqual(['Look:', '', '  js']);
  expect(shown('let a = 1;\nlet b')).toEqual(['  let a = 1;']);
  expect(stream.live().map(plainLine)).toEqual(['  let b']);
  expect(shown(' = 2;\n```\nDone')).toEqual(['  let b = 2;']);
  expect(stream.end().map(plainLine)).toEqual(['Done']);
});

it.each([
  ['a long line', 'x'.repeat(200_000)],
  ['brackets', '['.repeat(20_000)],
  ['stars', '*a '.repeat(10_000)],
  ['backticks', 'a`'.repeat(10_000)],
  ['fences in a list', `- a\n${'  ```\n'.repeat(3_000)}`],
  ['quotes in quotes', '>'.repeat(20_000)],
  ['rules', '- '.repeat(10_000)],
  ['lists in lists', `${'- '.repeat(10_000)}x`],
  ['numbered lists in lists', `${'1. '.repeat(10_000)}x`],
  ['lists in quotes', `${'> - '.repeat(5_000)}x`],
  ['indented lists', Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- x\n`).join('')],
  ['one long list', '- item of a list\n'.repeat(3_000)],
  ['one long table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(3_000)}`],
  ['open links', '[a]('.repeat(8_000)],
])('ends soon with %s', { timeout: 10_000, retry: 0 }, (_, text) => {
  const parts = text.match(/[\s\S]{1,2000}/gu) ?? [];
  expect(streamed([...parts, '\n\nEnd'], 80)).not.toEqual([]);
});
