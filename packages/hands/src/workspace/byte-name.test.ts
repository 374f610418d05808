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
  ])('shows %j as %j', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });

  it('is one visible line for any bytes, and can be read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const name = nameFromBytes(Buffer.from(bytes));
        const shown = displayName(name);
        expect(isDeceptive(shown)).toBe(false);
        // A name that holds the text of an escape itself is the one ambiguous case; such names are never created.
        if (!(typeof name === 'string' ? name : name.toString('latin1')).includes('\\x')) {
          expect(Buffer.from(unescapeName(shown)).equals(Buffer.from(bytes))).toBe(true);
        }
      }),
    );
  });
});
