import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayName, isDeceptive, nameFromBytes, unescapeName } from './byte-name.ts';

describe('displayName', () => {
  it.each<[string | Buffer, string]>([
    ['plain.ts', 'plain.ts'],
    ['a\nb', 'a\\x0ab'],
    ['\u001b[31m', '\\x1b[31m'],
    ['a\u202eb', 'a\\xe2\\x80\\xaeb'],
    [Buffer.from([0x61, 0xff]), 'a\\xff'],
    ['a\\x0ab', 'a\\x5cx0ab'],
    ['C:\\xyz', 'C:\\xyz'],
    [Buffer.from([0x5c, 0x78, 0x66, 0x66, 0xff]), '\\x5cxff\\xff'],
  ])('shows %j as %j', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });

  it('is one visible line for any bytes, and can be read back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.array(fc.constantFrom(...Buffer.from('\\xf05\n')))), (bytes) => {
        const name = nameFromBytes(Buffer.from(bytes));
        const shown = displayName(name);
        expect(isDeceptive(shown)).toBe(false);
        // Also of a name that holds the text of an escape itself: two names that look the same hide each other's changes.
        expect(Buffer.from(unescapeName(shown)).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });
});
