import { expect, it } from 'vitest';
import { decodeUtf8 } from './read-text.ts';

const MIB = 1024 * 1024;

it.each([
  ['nothing', ''],
  ['a short text', 'ä€😀'],
  ['one byte each', 'a\n'.repeat(MIB)],
  ['two bytes', 'ä'.repeat(MIB)],
  ['three bytes', '€'.repeat(MIB)],
  ['four bytes', '😀'.repeat(MIB / 2)],
])('decodes %s, however it lies to the pieces', (_, text) => {
  for (const before of ['', 'x', 'xx', 'xxx']) expect(decodeUtf8(Buffer.from(before + text)) === before + text).toBe(true);
});

it('decodes a stretch', () => {
  expect(decodeUtf8(Buffer.from('aäb'), 1, 3)).toBe('ä');
});

it('comes to an end with what is no UTF-8', () => {
  expect(decodeUtf8(Buffer.alloc(2 * MIB, 0x80))).toBe('\ufffd'.repeat(2 * MIB));
});
