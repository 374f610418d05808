import { BASE64, SEPARATORS } from './based.ts';
import { escapesOf, mayEndEscape } from './escape-table.ts';

const codes = (text: string): number[] => Array.from(text, (one) => one.charCodeAt(0));

/** Calls a function with each two characters of a text that follow each other. */
function eachPair(text: string, take: (first: number, second: number) => void): void {
  for (let at = 1; at < text.length; at += 1) take(text.charCodeAt(at - 1), text.charCodeAt(at));
}

/** Whether base64 of these bytes may have two digits that follow each other. Their last bits may be those of something else. */
function isInBase64(bits: number, bytes: ReadonlySet<number>, last6: ReadonlySet<number>, first6: ReadonlySet<number>): boolean {
  return bytes.has(bits >> 4) || bytes.has((bits >> 2) & 0xff) || bytes.has(bits & 0xff) || (last6.has(bits >> 6) && first6.has(bits & 0x3f));
}

/**
 * The pairs of bytes that no notation of some texts contains: 1 for each of them, at the first byte times 256 and the second. Where one of
 * them is in each stretch as long as a text, nothing needs to be read. Says too few rather than too many.
 *
 * @param texts the values, in each case and direction in which they are read
 */
export function breakingPairs(texts: readonly string[]): Uint8Array {
  const escapes = escapesOf(texts);
  const letters = new Set(codes('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'));
  const marks = new Set([...SEPARATORS, ...escapes.flatMap(codes), ...BASE64.keys(), ...texts.flatMap(codes)].filter((code) => !letters.has(code)));
  const all = new Set([...letters, ...marks]);
  const breaks = new Uint8Array(65_536).fill(1);
  const allow = (first: number, second: number): void => {
    breaks[(first << 8) | second] = 0;
  };
  // Each mark may be an escape, or what an escape ends with.
  for (const first of all) for (const second of all) if (marks.has(first) || marks.has(second) || mayEndEscape(first)) allow(first, second);
  for (const escape of escapes) eachPair(escape, allow);
  for (const text of texts) eachPair(text, allow);
  const last6 = new Set(Array.from(all, (byte) => byte & 0x3f));
  const first6 = new Set(Array.from(all, (byte) => byte >> 2));
  for (const [first, high] of BASE64) for (const [second, low] of BASE64) if (isInBase64((high << 6) | low, all, last6, first6)) allow(first, second);
  return breaks;
}
