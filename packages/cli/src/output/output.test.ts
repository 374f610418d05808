import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { sizeOf, streamOutput, type Output } from './output.ts';

const COLOR = new RegExp(String.raw`${'\u001B'}\[\d+m`, 'gu');

/** What a terminal gets, without colors. */
function written(
  use: (output: Output) => void,
  { columns = 40, ...environment }: NodeJS.ProcessEnv & { columns?: number } = {},
  isTTY = true,
): string {
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  const pieces: string[] = [];
  stream.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
  use(streamOutput(stream, environment));
  return pieces.join('').replaceAll(COLOR, '');
}

it('wraps whole sentences of a terminal at spaces, and nothing else', () => {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 20 });
  const output = streamOutput(stream, {}, true);
  output.write('A sentence that is longer than it.\n');
  output.write('Do this, which is a question? [y/N] ');
  output.write('an answer that came later\n');
  expect(stream.read()).toBe('A sentence that is\nlonger than it.\nDo this, which is a question? [y/N] an answer that came later\n');
});

const long = 'a line that is longer than forty columns are';

it('shows one line after the other in one place, and wipes it off before anything else', () => {
  const text = written((output) => {
    output.show('one');
    output.show('two');
    output.write('result\n');
    output.write('more\n');
    output.show('');
  });
  expect(text).toBe('one\r\u001b[2Ktwo\r\u001b[2Kresult\nmore\n');
});

it.each<[what: string, line: string, shown: string]>([
  ['what is too long', long, long.slice(0, 39)],
  ['wide characters', '漢'.repeat(30), '漢'.repeat(19)],
  ['what becomes longer when it is made visible', '\u202e'.repeat(9), '<U+202E>'.repeat(5).slice(0, 39)],
  ['a tab, which would be wider than it counts', 'a\tb', 'a b'],
])('keeps %s on one line of a narrow terminal', (_, line, shown) => {
  expect(written((output) => output.show(line))).toBe(shown);
});

it.each<[where: string, environment: NodeJS.ProcessEnv, isTTY: boolean]>([
  ['a terminal without sequences', { TERM: 'dumb' }, true],
  ['a pipe', {}, false],
])('shows nothing on %s that could not be taken back', (_, environment, isTTY) => {
  const use = (output: Output): void => {
    output.show('working');
    output.write('result\n');
    output.show('');
  };
  expect(written(use, environment, isTTY)).toBe('result\n');
});

it.each([
  [
    { columns: 0, rows: 0 },
    { columns: 80, rows: 24 },
  ],
  [{}, { columns: 80, rows: 24 }],
  [
    { columns: 40, rows: 12 },
    { columns: 40, rows: 12 },
  ],
])('takes a terminal of %j to be of %j', (told, size) => {
  expect(sizeOf(Object.assign(new PassThrough(), told))).toEqual(size);
});
