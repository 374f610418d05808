/** Maximum number of arguments of `fromCharCode`. More could overflow the stack. */
const PIECE = 0x8000;

/** Node's implementation, many times as fast; undefined in browsers. */
const native = (globalThis as Partial<typeof globalThis>).process?.getBuiltinModule?.('node:buffer')?.Buffer;

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  if (native !== undefined) return native.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes base64url. @throws for invalid input */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = native?.from(text, 'base64url');
  // Node's decoder skips what is invalid; that of the web refuses it. To look for it first takes longer than to decode.
  if (bytes !== undefined && text.length % 4 !== 1 && bytes.length === Math.floor((text.length * 3) / 4)) return new Uint8Array(bytes);
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}
