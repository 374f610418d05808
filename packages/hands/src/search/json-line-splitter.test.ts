import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonLineSplitter } from './json-line-splitter.ts';

function split(bytes: Buffer, cuts: readonly number[]): Array<Buffer | undefined> {
  const splitter = new JsonLineSplitter();
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const records: Array<Buffer | undefined> = [];
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    for (const record of splitter.push(bytes.subarray(start, end))) records.push(record === undefined ? undefined : Buffer.from(record));
    start = end;
  }
  return records;
}

const cuts = fc.array(fc.nat(), { maxLength: 20 });

describe('JsonLineSplitter', () => {
  it('gives back short records wherever the chunks are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), cuts, (values, at) => {
        const stream = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
        expect(split(stream, at).map((record) => JSON.parse(String(record)))).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });

  it('cuts the strings of a long record and leaves JSON, wherever the chunks are cut', () => {
    const part = fc.constantFrom('a', '"', '\\', '\u0001', 'é', '漢', '😀', '\\u00', 'plain text ', '\\"');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), fc.nat(9), cuts, (parts, shift, at) => {
        const text = 'x'.repeat(shift) + parts.join('').repeat(Math.ceil(80_000 / parts.join('').length));
        const [record] = split(Buffer.from(`${JSON.stringify({ a: text, b: 'short', c: text })}\n`), at);
        const value = JSON.parse(String(record)) as Record<'a' | 'b' | 'c', string>;
        expect(text.startsWith(value.a)).toBe(true);
        expect(value.a.length).toBeGreaterThan(600);
        expect(value).toMatchObject({ b: 'short', c: value.a });
        expect(record?.length).toBeLessThan(10_000);
      }),
      { numRuns: 60 },
    );
  });

  it('gives up a record of too many strings, and goes on with the next', () => {
    const many = JSON.stringify(Array.from({ length: 50_000 }, () => 'abc'));
    expect(split(Buffer.from(`${many}\n{"next":1}\n`), [70_000]).map(String)).toEqual(['undefined', '{"next":1}']);
  });
});
