import { expect, it } from 'vitest';
import { literalLines } from './literal-lines.ts';

const PATH = Buffer.from('./a');
const find = (content: string | Buffer, text: string, atMost = 10) =>
  literalLines(Buffer.from(content), Buffer.from(text), PATH, atMost)?.map(({ line, offset, start, text: shown }) => [
    line,
    offset,
    start,
    shown.toString(),
  ]);

it('finds each line once, with its place', () => {
  expect(find('foo\nno\n a foo foo\r\n\nfoo', 'foo')).toEqual([
    [1, 0, 0, 'foo'],
    [3, 7, 3, ' a foo foo\r'],
    [5, 20, 0, 'foo'],
  ]);
});

it('finds no more lines than wanted, and nothing in an empty file', () => {
  expect(find('foo\nfoo\nfoo\n', 'foo', 2)).toHaveLength(2);
  expect(find('', 'foo')).toEqual([]);
});

it.each([Buffer.from('foo\0'), Buffer.from('\uFEFFfoo'), Buffer.from('\uFEFFfoo', 'utf16le'), Buffer.from(`foo${'x'.repeat(20_000)}`)])(
  'leaves a file to ripgrep that is not plain',
  (content) => {
    expect(find(content, 'foo')).toBeUndefined();
  },
);
