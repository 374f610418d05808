// A slice may begin with a byte order mark, which is a character of the text like any other.
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns a slice of UTF-8 text from an offset, which ends between two characters. */
export function textSlice(bytes: Uint8Array, from: number, max: number): { readonly data: string; readonly next: number } {
  let end = Math.min(bytes.length, from + max);
  // A continuation byte: move back to the start of the character.
  while (end < bytes.length && end > from && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { data: UTF_8.decode(bytes.subarray(from, end)), next: end };
}
