/** Returns a slice of UTF-8 text from an offset, which ends between two characters. */
export function textSlice(bytes: Uint8Array, from: number, max: number): { readonly data: string; readonly next: number } {
  let end = Math.min(bytes.length, from + max);
  // A continuation byte: move back to the start of the character.
  while (end < bytes.length && end > from && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { data: new TextDecoder().decode(bytes.subarray(from, end)), next: end };
}
