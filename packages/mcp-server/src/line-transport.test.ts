import fc from 'fast-check';
import { PassThrough, Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isLong, linePieces, lineReader, lineTransport, PIECE_LENGTH } from './line-transport.ts';

function read(chunks: readonly Buffer[], limit = 1_000): { lines: string[]; tooLong: [string, string][] } {
  const lines: string[] = [];
  const tooLong: [string, string][] = [];
  const push = lineReader(limit, { line: (text) => void lines.push(text), tooLong: (head, tail) => void tooLong.push([head, tail]) });
  for (const chunk of chunks) push(chunk);
  return { lines, tooLong };
}

it('gives the same lines however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })), fc.array(fc.nat(40)), (texts, sizes) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const chunks: Buffer[] = [];
      let start = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(start, start + size));
        start += size;
      }
      chunks.push(bytes.subarray(start));
      expect(read(chunks).lines.filter((line) => line !== '')).toEqual(lines.filter((line) => line !== ''));
    }),
  );
});

it('drops a line over the limit, tells its ends, and reads on', () => {
  const long = `{"id":7,${'x'.repeat(5_000)},"end":1}`;
  const bytes = Buffer.from(`first\n${long}\nlast\n`);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, index) => bytes.subarray(index * 100, index * 100 + 100));
  const { lines, tooLong } = read(chunks);
  expect(lines).toEqual(['first', 'last']);
  expect(tooLong).toHaveLength(1);
  expect(tooLong[0]?.[0].startsWith('{"id":7,')).toBe(true);
  expect(tooLong[0]?.[1].endsWith('"end":1}')).toBe(true);
});

it('keeps what is unfinished to itself', () => {
  expect(read([Buffer.from('half')]).lines).toEqual([]);
});

const answer = (...texts: readonly unknown[]): object => ({
  jsonrpc: '2.0',
  id: 1,
  result: { content: texts.map((text) => ({ type: 'text', text })), x: null },
});
const long = (unit: string): string => unit.repeat(Math.ceil((2.5 * PIECE_LENGTH) / unit.length));

it.each([
  ['a short answer', answer('x'), false],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x'.repeat(PIECE_LENGTH) } }, false],
  ['another result', { jsonrpc: '2.0', id: 1, result: { tools: [] } }, false],
  ['odd content', { jsonrpc: '2.0', id: 1, result: { content: 'x'.repeat(PIECE_LENGTH) } }, false],
  ['a long text among others', answer('x', 'y'.repeat(PIECE_LENGTH)), true],
])('tells what is long: %s', (_, message, expected) => {
  expect(isLong(message)).toBe(expected);
});

describe('pieces', () => {
  it('are the line of the message, none longer than a piece with all of it escaped', () => {
    const message = answer('first', long('line\n"quoted" \\ '), 'between', long('é→\u0000'), '');
    const pieces = [...linePieces(message)];
    expect(pieces.length).toBeGreaterThan(6);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(6 * PIECE_LENGTH);
    expect(pieces.join('')).toBe(`${JSON.stringify(message)}\n`);
  });

  it('cut a pair of surrogates into escapes of the same text', () => {
    const message = answer(`x${long('😀')}`);
    const json = [...linePieces(message)].join('');
    expect(json).not.toBe(`${JSON.stringify(message)}\n`);
    expect(JSON.parse(json)).toEqual(message);
  });

  it('are of any value what JSON makes of it', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map(long));
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.constant(undefined),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), (values) => {
        const message = { ...answer(...values), more: values };
        expect(JSON.parse([...linePieces(message)].join(''))).toEqual(JSON.parse(JSON.stringify(message)));
      }),
      { numRuns: 60 },
    );
  });
});

it('writes large answers whole, however late they are taken, and whatever their size', async () => {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      // Looked at only when the next ones are written already: memory that was used again would show.
      waiting.push(() => {
        taken.push(chunk.toString());
        done();
      });
    },
  });
  const transport = lineTransport(new PassThrough(), slow);
  const texts = ['a'.repeat(200_000), 'ä€😀\n'.repeat(50_000), 'b'.repeat(3_000_000), 'c', 'd'.repeat(150_000), 'ü'.repeat(2_500_000)];
  // As the content of an answer they go in pieces, elsewhere in one.
  const messages = texts
    .flatMap((text) => [{ text }, { content: [{ type: 'text', text }] }])
    .map((result) => ({ jsonrpc: '2.0', id: 1, result }) as const);
  for (const [index, message] of messages.entries()) {
    await transport.send(message);
    // One is taken for every two that are sent, so that memory is given back in between.
    if (index % 2 === 1) waiting.shift()?.();
  }
  while (waiting.length > 0) {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const lines = taken.join('').split('\n');
  expect(messages.map((message, index) => isDeepStrictEqual(JSON.parse(lines[index] ?? ''), message))).toEqual(messages.map(() => true));
  expect(lines.slice(messages.length)).toEqual(['']);
});
