import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineReader } from './line-reader.ts';

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
