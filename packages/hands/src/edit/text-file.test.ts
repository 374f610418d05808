import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encodedLength, encodePiece, markOf, UNKNOWN_8BIT, type TextEncoding } from '../text/encoding.ts';
import { spliceBytes, spliceText } from './text-file.ts';

const ENCODINGS: ReadonlyArray<readonly [TextEncoding, string]> = [
  [{ name: 'utf-8', bom: false }, 'aé€😀\r\n'],
  [{ name: 'utf-8', bom: true }, 'aé€😀\r\n'],
  [{ name: 'utf-16le', bom: true }, 'aé€😀\r\n'],
  [{ name: 'utf-16be', bom: true }, 'aé€😀\r\n'],
  [{ name: 'windows-1252', bom: false }, 'aé€“\r\n'],
  [{ name: 'koi8-r', bom: false }, 'aяЖ─\r\n'],
  [{ name: 'shift_jis', bom: false }, 'a日本ｱ\r\n'],
  [{ name: 'gb18030', bom: false }, 'a中文€\r\n'],
  [{ name: UNKNOWN_8BIT, bom: false }, 'abc\r\n'],
];

describe('spliceBytes', () => {
  it.each(ENCODINGS)('leaves every other byte of %j alone', (encoding, characters) => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from(characters)) });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 4 }), text, (parts, rest) => {
        const source = parts.map(([kept, old]) => kept + old).join('') + rest;
        const bytes = Buffer.concat([markOf(encoding), encodePiece(source, encoding)]);
        let position = 0;
        const replacements = parts.map(([kept, old, replaced]) => {
          const start = position + kept.length;
          position = start + old.length;
          return { start, end: position, text: replaced };
        });
        const expected = [markOf(encoding), ...parts.flatMap(([kept, , replaced]) => [encodePiece(kept, encoding), encodePiece(replaced, encoding)])];
        expect(spliceBytes(bytes, source, encoding, replacements)).toEqual(Buffer.concat([...expected, encodePiece(rest, encoding)]));
        expect(decode(spliceBytes(bytes, source, encoding, replacements), encoding)).toBe(spliceText(source, replacements));
        expect(encodedLength(source, encoding)).toBe(bytes.length - markOf(encoding).length);
      }),
    );
  });

  it.each([
    [
      'UTF-16 with half a surrogate pair and an odd byte at its end',
      { name: 'utf-16le', bom: true },
      'fffe00d861006200e9',
      'a',
      'fffe00d878006200e9',
    ],
    ['UTF-8 that is mixed with Latin-1', { name: UNKNOWN_8BIT, bom: false }, 'c3a961e962', 'a', 'c3a978e962'],
  ])('keeps %s', (_, encoding, before, old, after) => {
    const bytes = Buffer.from(before, 'hex');
    const text = decode(bytes, encoding);
    const start = text.indexOf(old);
    expect(spliceBytes(bytes, text, encoding, [{ start, end: start + 1, text: 'x' }]).toString('hex')).toBe(after);
  });

  it('refuses a character that the encoding lacks', () => {
    expect(() => spliceBytes(Buffer.from('a'), 'a', { name: 'windows-1252', bom: false }, [{ start: 0, end: 1, text: '日' }])).toThrow(/日/u);
  });
});
