import { hash, timingSafeEqual } from 'node:crypto';

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*) *$/iu;
/** Minimum number of characters: 32 hexadecimal digits are 128 bits, which cannot be guessed. */
export const MIN_TOKEN_CHARACTERS = 32;
const TOKEN = new RegExp(`^[A-Za-z0-9._~+/-]{${MIN_TOKEN_CHARACTERS},4096}=*$`, 'u');

/** Whether a text can be a token: long enough, with only characters allowed in a header. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Identifies the caller by a hash of the token; never contains the token. */
export function principalOf(token: string): string {
  return hash('sha256', `synapse principal ${token}`, 'hex').slice(0, 16);
}

/**
 * Returns a check of the `Authorization` header. It compares in constant time: the timing reveals nothing about the
 * token but its length, which is no secret.
 */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = Buffer.from(token, 'latin1');
  return (authorization) => {
    const given = BEARER.exec(authorization ?? '')?.[1];
    return given?.length === expected.length && timingSafeEqual(Buffer.from(given, 'latin1'), expected);
  };
}
