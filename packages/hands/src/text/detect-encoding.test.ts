import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectEncoding, looksBinary, SNIFF_BYTES } from './detect-encoding.ts';
import { decode, encode, encodePiece, UNKNOWN_8BIT } from './encoding.ts';

const name = async (bytes: Uint8Array, partial = false): Promise<string> => {
  const encoding = await detectEncoding(bytes, { partial });
  return encoding === 'binary' ? encoding : `${encoding.name}${encoding.bom ? ' with mark' : ''}`;
};

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('detectEncoding', () => {
  it.each([
    ['nothing', '', 'utf-8'],
    ['ASCII', latin1('abc'), 'utf-8'],
    ['UTF-8', Buffer.from('café 日本 😀'), 'utf-8'],
    ['UTF-8 with mark', Buffer.from('\ufeffcafé'), 'utf-8 with mark'],
    ['UTF-16 LE', Buffer.from('\ufeffcafé', 'utf16le'), 'utf-16le with mark'],
    ['UTF-16 BE', Buffer.from('\ufeffcafé', 'utf16le').swap16(), 'utf-16be with mark'],
    ['UTF-32', latin1('\xff\xfe\0\0a\0\0\0'), 'binary'],
    ['UTF-16 without mark', Buffer.from('abc', 'utf16le'), 'binary'],
    ['an image', latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'binary'],
    ['ASCII with NUL', latin1('a\0b'), 'binary'],
    ['Latin-1', latin1('Le caf\xe9 \xe9tait ferm\xe9 \xe0 No\xebl, o\xf9 \xeates-vous ?'), 'windows-1252'],
    ['a few words of French', latin1('caf\xe9 na\xefve'), 'windows-1252'],
    ['a comment in Spanish', latin1('// a\xf1o nuevo: ma\xf1ana'), 'windows-1252'],
    ['a question in French', latin1('o\xf9 \xeates-vous, No\xebl ?'), 'windows-1252'],
    ['a comment in Polish', encode('// proszę wprowadzić hasło użytkownika', { name: 'iso-8859-2', bom: false }), 'iso-8859-2'],
    ['typographic quotes of Windows', latin1('He said \x93caf\xe9\x94 \x96 twice'), 'windows-1252'],
    ['bytes that no encoding needs', latin1('\x81\x8d\x8f\x90\x9d'), 'windows-1252'],
    ['overlong UTF-8', latin1('..\xc0\xaf'), 'windows-1252'],
    ['a surrogate in UTF-8', latin1('\xed\xa0\x80'), 'windows-1252'],
    ['UTF-8 with one Latin-1 byte', Buffer.concat([Buffer.from('café naïve '), latin1('caf\xe9')]), UNKNOWN_8BIT],
    ['Latin-1 with one UTF-8 letter', Buffer.concat([latin1('\xe9t\xe9 \xe0 No\xebl '.repeat(50)), Buffer.from('é')]), UNKNOWN_8BIT],
    ['UTF-8 cut in the middle of a letter', Buffer.from('日本').subarray(0, 5), UNKNOWN_8BIT],
    ['a UTF-8 mark before Latin-1', Buffer.concat([Buffer.from('\ufeff'), latin1('caf\xe9')]), UNKNOWN_8BIT],
    ['Chinese UTF-8 with one bad byte', Buffer.concat([Buffer.from('人人生而自由\n'.repeat(20)), latin1('\xff')]), UNKNOWN_8BIT],
  ])('%s', async (_, bytes, expected) => {
    expect(await name(Buffer.from(bytes))).toBe(expected);
  });

  it.each([
    ['windows-1251', 'Съешь ещё этих мягких французских булок, да выпей чаю. «РФ» — Новое предложение о работе, которое она не видела.\n'],
    ['koi8-r', 'Съешь ещё этих мягких французских булок, да выпей чаю. Новое предложение о работе.\n'],
    ['shift_jis', '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n'],
    ['euc-jp', '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n'],
    ['euc-kr', '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n'],
    ['iso-8859-2', 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem.\n'],
    ['windows-1250', 'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat.\n'],
    ['gb18030', '人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。\n'],
    ['big5', '人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神相對待。\n'],
  ])('knows prose in %s, also behind much ASCII', async (expected, text) => {
    const bytes = encodePiece(text.repeat(4), { name: expected, bom: false });
    expect(await name(bytes)).toBe(expected);
    expect(await name(Buffer.concat([Buffer.alloc(200_000, 'code; '), bytes]))).toBe(expected);
  });

  it('takes a cut character at the end of a beginning for what it is', async () => {
    const bytes = Buffer.from('日本\n日本');
    for (let end = 1; end <= bytes.length; end += 1) expect(await name(bytes.subarray(0, end), true)).toBe('utf-8');
  });

  it('answers at once for UTF-8', () => {
    expect(detectEncoding(Buffer.from('é'))).toEqual({ name: 'utf-8', bom: false });
  });

  it('gives back the same bytes for any text it takes', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ min: 0x80 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom('\n', 'a', '\r\n', ' ').map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const bytes = Buffer.concat(pieces);
        const encoding = await detectEncoding(bytes);
        // UTF-16 may be malformed, and what is mixed takes ASCII only.
        fc.pre(encoding !== 'binary' && !encoding.name.startsWith('utf-16') && encoding.name !== UNKNOWN_8BIT);
        expect(encode(decode(bytes, encoding), encoding)).toEqual(bytes);
      }),
    );
  });
});

describe('looksBinary', () => {
  it.each([
    ['text', latin1('abc'), false],
    ['NUL', latin1('ab\0c'), true],
    ['NUL at the end of the part looked at', Buffer.concat([Buffer.alloc(SNIFF_BYTES - 1, 'a'), Buffer.alloc(1)]), true],
    ['NUL behind it', Buffer.concat([Buffer.alloc(SNIFF_BYTES, 'a'), Buffer.alloc(1)]), false],
    ['UTF-16 with mark', Buffer.from('\ufeffabc', 'utf16le'), false],
    ['UTF-32 with mark', latin1('\xff\xfe\0\0'), true],
  ])('%s', (_, bytes, expected) => {
    expect(looksBinary(bytes)).toBe(expected);
  });
});
