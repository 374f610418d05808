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
  // Node's decoder skips what is invalid; that of the web refuses it.
  if (native !== undefined && text.length % 4 !== 1 && /^[\w-]*$/u.test(text)) return new Uint8Array(native.from(text, 'base64url'));
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}
