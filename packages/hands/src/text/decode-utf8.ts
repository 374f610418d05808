/**
 * Bytes that are decoded at once. A string of more than about a million characters is kept by Node outside of V8's heap
 * (`EXTERN_APEX`, 0xFBEE9), and each such one brings a collection of all garbage nearer: one after 13 of a megabyte.
 */
const PIECE_BYTES = 512 * 1024;
/** The bits that tell a byte inside of a character, and their value. */
const INSIDE_MASK = 0b1100_0000;
const INSIDE = 0b1000_0000;
/** A character has so many bytes at most. */
const MAX_CHARACTER_BYTES = 4;

/** The text of UTF-8 bytes, of any length. What is no UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Buffer, start = 0, end = bytes.length): string {
  let text = '';
  for (let at = start; at < end;) {
    let next = Math.min(end, at + PIECE_BYTES);
    // No character is cut; more bytes inside of one than it can have are no UTF-8, wherever they are cut.
    const earliest = next - MAX_CHARACTER_BYTES;
    while (next < end && next > earliest && ((bytes[next] ?? 0) & INSIDE_MASK) === INSIDE) next -= 1;
    text += bytes.toString('utf8', at, next);
    at = next;
  }
  return text;
}
