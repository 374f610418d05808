import { isSynapseError } from '@synapse/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, encodedLength, encodePiece, markOf, type TextEncoding, UNKNOWN_8BIT } from './encoding.ts';

const plain = (name: string): TextEncoding => ({ name, bom: false });

function failure(work: () => unknown): { code: string; message: string; details: Record<string, unknown> | undefined } {
  try {
    work();
  } catch (error) {
    if (isSynapseError(error)) return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('encode', () => {
  it.each([
    ['utf-8', 'é€😀', 'c3a9e282acf09f9880'],
    ['utf-16le', 'é😀', 'e9003dd800de'],
    ['utf-16be', 'é😀', '00e9d83dde00'],
    ['windows-1252', 'é€“', 'e98093'],
    ['windows-1251', 'Привет', 'cff0e8e2e5f2'],
    ['koi8-r', 'Привет', 'f0d2c9d7c5d4'],
    ['shift_jis', '日本ｱa', '93fa967bb161'],
    ['euc-jp', '日本ｱ', 'c6fccbdc8eb1'],
    ['euc-kr', '한글', 'c7d1b1db'],
    ['big5', '中文', 'a4a4a4e5'],
    ['gb18030', '中文€', 'd6d0cec4a2e3'],
    [UNKNOWN_8BIT, 'abc', '616263'],
  ])('%s writes %s', (name, text, hex) => {
    const bytes = encode(text, plain(name));
    expect(bytes.toString('hex')).toBe(hex);
    expect(decode(bytes, plain(name))).toBe(text);
    expect(encodedLength(text, plain(name))).toBe(bytes.length);
  });

  it.each([
    ['windows-1252', 'one\ntwo 日', '"日" (U+65E5)'],
    ['iso-8859-2', 'a€\nb', '"€" (U+20AC)'],
    ['shift_jis', 'x\n😀', '"😀" (U+1F600)'],
    ['windows-1251', '\u200b', 'U+200B'],
    [UNKNOWN_8BIT, 'caf\u00e9', '"é" (U+00E9)'],
    ['utf-8', 'a\ud800b', 'U+D800'],
    ['utf-16le', 'a\udc00', 'U+DC00'],
  ])('%s refuses %j and names the character', (name, text, named) => {
    const { code, message, details } = failure(() => encode(text, plain(name)));
    expect(code).toBe('encoding');
    expect(message).toContain(named);
    expect(details).toMatchObject({ encoding: name, line: text.split('\n').length > 1 && !text.startsWith('a€') ? 2 : 1 });
  });

  it.each(['utf-8', 'utf-16le', 'utf-16be'])('%s writes its byte order mark for a file and not for a piece', (name) => {
    const encoding = { name, bom: true };
    const bytes = encode('aé', encoding);
    expect(bytes.subarray(0, markOf(encoding).length)).toEqual(Buffer.from(markOf(encoding)));
    expect(decode(bytes, encoding)).toBe('aé');
    expect(encodePiece('aé', encoding)).toEqual(encode('aé', plain(name)));
  });

  it('keeps offsets where UTF-16 is malformed', () => {
    const bytes = Buffer.from('fffe610000d8620063', 'hex');
    expect(decode(bytes, { name: 'utf-16le', bom: true })).toBe('a\ufffdb');
  });
});

const SINGLE_BYTE = ['windows-1252', 'windows-1251', 'windows-1250', 'windows-1254', 'iso-8859-2', 'koi8-r', 'ibm866', 'macintosh'];

describe('legacy encodings', () => {
  it.each(SINGLE_BYTE)('%s gives back any bytes', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(encode(decode(bytes, plain(name)), plain(name))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each(['shift_jis', 'euc-jp', 'euc-kr', 'big5', 'gb18030'])('%s gives back whatever it writes', (name) => {
    const readable = decode(
      Buffer.from(Array.from({ length: 0x7e * 0x5e }, (_, index) => [0x81 + Math.floor(index / 0x5e), 0xa1 + (index % 0x5e)]).flat()),
      plain(name),
    );
    const characters = Array.from(readable).filter((character) => character !== '\u{fffd}' && !/[\ue000-\uf8ff]/u.test(character));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters, 'a', '\n')), (picked) => {
        const text = picked.join('');
        let bytes: Buffer;
        try {
          bytes = encode(text, plain(name));
        } catch {
          return; // A character of three or four bytes is refused, which is no wrong answer.
        }
        expect(decode(bytes, plain(name))).toBe(text);
        expect(encodedLength(text, plain(name))).toBe(bytes.length);
      }),
    );
  });
});
