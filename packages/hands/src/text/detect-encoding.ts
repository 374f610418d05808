import { isUtf8 } from 'node:buffer';
import { decode, encode, UNKNOWN_8BIT, type TextEncoding } from './encoding.ts';
import { isDoubleByte } from './legacy-table.ts';

/** A NUL within so many bytes makes a file binary, as it does for git (8,000) and grep. */
export const SNIFF_BYTES = 8 * 1024;

/** How much of a file the guess looks at, from its first byte that is not ASCII. */
const GUESS_BYTES = 64 * 1024;

/** Below this, in percent, a guess is no better than the most common encoding of the web. */
const MIN_CONFIDENCE = 20;

/**
 * Which part of the bytes beyond ASCII may form valid UTF-8 by chance; more of it means that encodings
 * are mixed. Measured on prose: up to 0.09 in Cyrillic (KOI8-R), up to 0.47 in EUC-JP, and none in Latin
 * scripts, where it takes a capital letter before a symbol.
 */
const MAX_CHANCE: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:shift_jis|euc-|big5|gb)/u, 0.6],
  [/^(?:windows-125[1356]|koi8-|iso-8859-[5678])/u, 0.15],
];

/** The guesses of chardet that can be written back without shift states. */
const WRITABLE = /^(?:iso-8859-|windows-|koi8-|shift_jis|euc-|big5|gb18030)/iu;

const WINDOWS_1252: TextEncoding = { name: 'windows-1252', bom: false };
const UNKNOWN: TextEncoding = { name: UNKNOWN_8BIT, bom: false };

function startsWith(bytes: Uint8Array, ...mark: number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

function utf16Mark(bytes: Uint8Array): TextEncoding | undefined {
  // FF FE 00 00 is UTF-32, which no tool here writes.
  if (startsWith(bytes, 0xff, 0xfe) && !startsWith(bytes, 0xff, 0xfe, 0, 0)) return { name: 'utf-16le', bom: true };
  return startsWith(bytes, 0xfe, 0xff) ? { name: 'utf-16be', bom: true } : undefined;
}

/** Whether a file is binary, told from its first bytes alone ({@link SNIFF_BYTES} are enough). */
export function looksBinary(prefix: Uint8Array): boolean {
  return utf16Mark(prefix) === undefined && prefix.subarray(0, SNIFF_BYTES).includes(0);
}

/** Length of the UTF-8 sequence at a position, 0 where there is none. Overlong and surrogate forms are none. */
function sequenceLength(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return lead >= 0xc2 && lead < 0xf5 && isUtf8(bytes.subarray(start, start + length)) && start + length <= bytes.length ? length : 0;
}

/** Which part of the bytes beyond ASCII belongs to well-formed UTF-8. */
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
 * Guesses of languages with Latin letters, which a short text in a language of the West often gets: "café naïve" is
 * as likely Polish to chardet. Its bytes tell: those of the East are symbols in windows-1252 more often than not.
 */
const RIVALS = /^(?:iso-8859-2|windows-125[07])$/iu;
/** Above this, in percent, there was enough text to tell. */
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
    // A character that cannot be written back: this is not the encoding.
    return false;
  }
}

/**
 * Finds out how a file's bytes stand for characters. Answers at once, but for legacy files, where a
 * guess has to be loaded and tried; it is taken only if it gives back the same bytes.
 *
 * @param partial the bytes are the beginning of a longer file, and may end within a character
 */
export function detectEncoding(bytes: Uint8Array, { partial = false } = {}): TextEncoding | 'binary' | Promise<TextEncoding> {
  const marked = utf16Mark(bytes);
  if (marked !== undefined) return marked;
  if (looksBinary(bytes)) return 'binary';
  if (isUtf8(partial ? withoutCutSequence(bytes) : bytes)) return { name: 'utf-8', bom: startsWith(bytes, 0xef, 0xbb, 0xbf) };
  // A line feed is no part of a longer character in any of these encodings.
  return guess(partial ? bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1 || bytes.length) : bytes);
}
