/** A piece of a text in UTF-8 from an offset on, which ends between two characters. */
export function textSlice(bytes: Uint8Array, from: number, max: number): { readonly data: string; readonly next: number } {
  let end = Math.min(bytes.length, from + max);
  // A continuation byte: the character has begun before.
  while (end < bytes.length && end > from && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { data: new TextDecoder().decode(bytes.subarray(from, end)), next: end };
}
