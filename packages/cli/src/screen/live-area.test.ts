import { expect, it } from 'vitest';
import { LiveArea } from './live-area.ts';

/** Control sequences, text, and line ends. */
const PARTS = new RegExp(String.raw`${'\u001B'}\[(\??\d*[A-Za-z])|([^${'\u001B'}\r\n]+)|[\r\n]`, 'gu');

/** A terminal that knows what the area writes. Returns its rows. */
function terminal(width: number) {
  const rows: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (text: string): void => {
    for (const character of text) {
      const line = (rows[row] ?? '').padEnd(column);
      rows[row] = line.slice(0, column) + character + line.slice(column + 1);
      column = Math.min(column + 1, width);
    }
  };
  const write = (text: string): void => {
    for (const [part, sequence, text_] of text.matchAll(PARTS)) {
      if (part === '\n') {
        row += 1;
        column = 0;
        rows[row] ??= '';
      } else if (part === '\r') column = 0;
      else if (text_ !== undefined) put(text_);
      else if (sequence === 'J') {
        rows.length = row + 1;
        rows[row] = (rows[row] ?? '').slice(0, column);
      } else if (sequence === '2K') rows[row] = '';
      else if (sequence?.endsWith('A') === true) row -= Number(sequence.slice(0, -1));
      else if (sequence?.endsWith('B') === true) row += Number(sequence.slice(0, -1));
      else if (sequence?.endsWith('C') === true) column += Number(sequence.slice(0, -1));
    }
  };
  return { write, rows, place: () => [row, column] };
}

it('keeps lasting lines, and paints the area below them', () => {
  const { write, rows, place } = terminal(40);
  const area = new LiveArea(write);
  area.paint([], ['text', 'spinner', '> '], 2);
  expect([rows, place()]).toEqual([
    ['text', 'spinner', '> '],
    [2, 2],
  ]);
  area.paint(['text done', 'more'], ['spinner', '> ab'], 3);
  expect([rows, place()]).toEqual([
    ['text done', 'more', 'spinner', '> ab'],
    [3, 3],
  ]);
  area.paint([], ['SPINNER', '> abc'], 5);
  expect([rows, place()]).toEqual([
    ['text done', 'more', 'SPINNER', '> abc'],
    [3, 5],
  ]);
  area.clear();
  expect([rows, place()]).toEqual([
    ['text done', 'more', ''],
    [2, 0],
  ]);
  area.clear();
  area.paint(['end'], []);
  expect(rows).toEqual(['text done', 'more', 'end', '']);
});

it('writes once for a change, and only the lines that changed', () => {
  const written: string[] = [];
  const area = new LiveArea((text) => written.push(text));
  area.paint([], ['one', 'two']);
  area.paint([], ['one', 'TWO']);
  expect(written).toHaveLength(2);
  expect(written[1]).toContain('TWO');
  expect(written[1]).not.toContain('one');
});
