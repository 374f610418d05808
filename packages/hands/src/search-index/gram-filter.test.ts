import { describe, expect, it } from 'vitest';
import { FilterStore } from './filter-store.ts';
import { GramFilters, gramsOf } from './gram-filter.ts';

const filters = new GramFilters();

/** @param block the number of bytes that are read at once */
function made(content: string | Buffer, block = 1_000): Uint8Array | undefined {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length && filters.add(bytes.subarray(at, at + block)); at += block);
  return filters.end(8);
}

function filterOf(content: string | Buffer, block?: number): Uint8Array {
  const filter = made(content, block);
  if (filter === undefined) throw new Error('no filter');
  return filter;
}

function mayHold(filter: Uint8Array, grams: Uint32Array): boolean {
  const store = new FilterStore(4 * 1024 * 1024);
  store.add(7, filter);
  let isFound = false;
  store.find([grams], (id) => (isFound = id === 7));
  return isFound;
}

const holds = (content: string | Buffer, text: string, block?: number): boolean => mayHold(filterOf(content, block), gramsOf(Buffer.from(text)));

/** Generates a fixed sequence of bytes (Park–Miller). */
function noise(length: number, seed: number): Buffer {
  let state = seed;
  return Buffer.from(Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) % 251));
}

describe('a filter', () => {
  it('may hold each text of a line, whatever its case', () => {
    const content = 'const Größe = regeneratorRuntime;\r\nreturn 1;\n';
    for (const text of ['regeneratorRuntime', 'REGENERATOR', 'Größe = r', 'return 1;']) {
      expect(holds(content, text)).toBe(true);
      expect(holds(content, text, 5)).toBe(true);
    }
  });

  it('does not hold what crosses a line end, or follows the first NUL', () => {
    expect(holds('abcd\nefgh\n', 'cd\nef')).toBe(false);
    expect(holds('text before\0hidden text', 'hidden')).toBe(false);
    expect(holds('text before\0hidden text', 'before')).toBe(true);
    expect(holds('text before\0hidden text', 'hidden', 3)).toBe(false);
    expect(holds('ab\ncd\nefgh', 'abcd', 1)).toBe(false);
  });

  it('has none of a text in UTF-16, which ripgrep converts', () => {
    expect(made(Buffer.from('\uFEFFword', 'utf16le'))).toBeUndefined();
    expect(made(Buffer.from([0xfe, 0xff, 0, 0x61]))).toBeUndefined();
  });

  it('has none of a text with too many grams, and forgets them', () => {
    const many = noise(3_000_000, 7).map((byte) => (byte === 0 ? 1 : byte));
    expect(made(Buffer.from(many), 1_000_000)).toBeUndefined();
    expect(Math.max(...filterOf('short'))).toBeGreaterThan(0);
    expect(filterOf('short').reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)).toBeLessThanOrEqual(2);
  });

  it('never lacks a gram of what it was made of', () => {
    const missing: Buffer[] = [];
    for (let seed = 1; seed < 40; seed += 1) {
      const content = Buffer.from(noise(seed * 97, seed).map((byte) => (byte === 0 ? 1 : byte)));
      const filter = filterOf(content);
      for (let at = 0; at + 8 < content.length; at += 5) {
        const text = content.subarray(at, at + 8);
        if (!text.includes(10) && !mayHold(filter, gramsOf(text))) missing.push(text);
      }
    }
    expect(missing).toEqual([]);
  });
});
