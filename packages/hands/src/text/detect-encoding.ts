import { isUtf8 } from 'node:buffer';
import { decode, encode, UNKNOWN_8BIT, type TextEncoding } from './encoding.ts';
import { isDoubleByte } from './legacy-table.ts';

/** Number of bytes in which a NUL makes a file binary, similar to git (8,000) and grep. */
export const SNIFF_BYTES = 8 * 1024;

/** Number of bytes used for a guess, starting at the first non-ASCII byte. */
const GUESS_BYTES = 64 * 1024;

/** Minimum confidence in percent. Below it, a guess is no better than the most common legacy encoding of the web. */
const MIN_CONFIDENCE = 20;

/**
 * Share of non-ASCII bytes that may form valid UTF-8 by chance. A larger share means that encodings are mixed.
 * Measured on prose: up to 0.09 in Cyrillic (KOI8-R), up to 0.47 in EUC-JP, and none in Latin scripts, where
 * it takes a capital letter before a symbol.
 */
const MAX_CHANCE: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:shift_jis|euc-|big5|gb)/u, 0.6],
  [/^(?:windows-125[1356]|koi8-|iso-8859-[5678])/u, 0.15],
];

/** The results of chardet that can be encoded again without shift states. */
const WRITABLE = /^(?:iso-8859-|windows-|koi8-|shift_jis|euc-|big5|gb18030)/iu;

const WINDOWS_1252: TextEncoding = { name: 'windows-1252', bom: false };
const UNKNOWN: TextEncoding = { name: UNKNOWN_8BIT, bom: false };

function startsWith(bytes: Uint8Array, ...mark: number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

function utf16Mark(bytes: Uint8Array): TextEncoding | undefined {
  // FF FE 00 00 is UTF-32, which no tool here supports.
  if (startsWith(bytes, 0xff, 0xfe) && !startsWith(bytes, 0xff, 0xfe, 0, 0)) return { name: 'utf-16le', bom: true };
  return startsWith(bytes, 0xfe, 0xff) ? { name: 'utf-16be', bom: true } : undefined;
}

/** Whether a file is binary, detected from its first bytes ({@link SNIFF_BYTES} are enough). */
export function looksBinary(prefix: Uint8Array): boolean {
  return utf16Mark(prefix) === undefined && prefix.subarray(0, SNIFF_BYTES).includes(0);
}

/** Returns the length of the UTF-8 sequence at a position; 0 if it is invalid, overlong or a surrogate. */
function sequenceLength(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return lead >= 0xc2 && lead < 0xf5 && isUtf8(bytes.subarray(start, start + length)) && start + length <= bytes.length ? length : 0;
}

/** Returns the share of non-ASCII bytes that belong to well-formed UTF-8. */
function utf8Share(bytes: Uint8Array): number {
  let inside = 0;
  let outside = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    if ((bytes[index] ?? 0) < 0x80) continue;
    const length = sequenceLength(bytes, index);
    if (length === 0) outside += 1;
    else {
      inside += length;
      index += length - 1;
    }
  }
  return inside === 0 ? 0 : inside / (inside + outside);
}

function withoutCutSequence(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return wanted > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/**
 * Wrong results for short texts in Western European languages: to chardet, "café naïve" may just as well be Polish. The
 * bytes decide: as windows-1252, Eastern European text usually contains symbols.
 */
const RIVALS = /^(?:iso-8859-2|windows-125[07])$/iu;
/** Confidence in percent above which there was enough text to decide. */
const SURE_CONFIDENCE = 60;
const ALL_LETTERS = /^[\p{ASCII}\p{L}\p{Pi}\p{Pf}¿¡]*$/u;

function isRatherWestern(bytes: Uint8Array, guessed: { name: string; confidence: number }): boolean {
  return RIVALS.test(guessed.name) && guessed.confidence < SURE_CONFIDENCE && ALL_LETTERS.test(decode(bytes, WINDOWS_1252));
}

async function guess(bytes: Uint8Array): Promise<TextEncoding> {
  const { analyse } = await import('chardet');
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const part = bytes.subarray(first, first + GUESS_BYTES);
  const best = analyse(part).find(({ name }) => WRITABLE.test(name));
  const isWestern = best === undefined || best.confidence < MIN_CONFIDENCE || isRatherWestern(part, best);
  const name = isWestern ? WINDOWS_1252.name : new TextDecoder(best.name).encoding;
  const chance = MAX_CHANCE.find(([names]) => names.test(name))?.[1] ?? 0;
  if (utf8Share(bytes) > chance) return UNKNOWN;
  const encoding = { name, bom: false };
  if (isReversible(bytes, encoding)) return encoding;
  return isDoubleByte(name) ? UNKNOWN : WINDOWS_1252;
}

function isReversible(bytes: Uint8Array, encoding: TextEncoding): boolean {
  try {
    return encode(decode(bytes, encoding), encoding).equals(bytes);
  } catch {
    // A character cannot be encoded again, so the encoding is wrong.
    return false;
  }
}

/**
 * Detects the encoding of a file. Returns it synchronously, except for legacy files: these need a
 * guess, which is accepted only if it reproduces the same bytes.
 *
 * @param partial whether the bytes are the beginning of a longer file and may end inside a character
 */
export function detectEncoding(bytes: Uint8Array, { partial = false } = {}): TextEncoding | 'binary' | Promise<TextEncoding> {
  const marked = utf16Mark(bytes);
  if (marked !== undefined) return marked;
  if (looksBinary(bytes)) return 'binary';
  if (isUtf8(partial ? withoutCutSequence(bytes) : bytes)) return { name: 'utf-8', bom: startsWith(bytes, 0xef, 0xbb, 0xbf) };
  // In these encodings, a line feed is never part of a multibyte character.
  return guess(partial ? bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1 || bytes.length) : bytes);
}
