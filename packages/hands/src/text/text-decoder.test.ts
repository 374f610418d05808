import { expect, it } from 'vitest';
import { textDecoder } from './text-decoder.ts';

it.each(['windows-1252', 'latin1', 'iso-8859-1'])('%s has what Windows writes, on every Node', (label) => {
  const decoder = textDecoder(label);
  expect(decoder.encoding).toBe('windows-1252');
  expect(decoder.decode(Uint8Array.of(0x80, 0x93, 0x41, 0x94, 0x97, 0x9f, 0xe9, 0x81))).toBe('€“A”—Ÿé\u0081');
  expect(decoder.decode(Uint8Array.of(0xff))).toBe('ÿ');
});

it('leaves other encodings to Node', () => {
  expect(textDecoder('windows-1251').decode(Uint8Array.of(0xcf, 0x93))).toBe('П“');
  expect(() => textDecoder('nope')).toThrow(RangeError);
});
