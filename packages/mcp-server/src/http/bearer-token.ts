import { hash, timingSafeEqual } from 'node:crypto';

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*) *$/iu;
/** Characters: 32 of hexadecimal are 128 bits, which nobody guesses. */
export const MIN_TOKEN_CHARACTERS = 32;
const TOKEN = new RegExp(`^[A-Za-z0-9._~+/-]{${MIN_TOKEN_CHARACTERS},4096}=*$`, 'u');

/** Whether a text can be a token: of the characters that a header takes, and long enough. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Who calls: told apart by the token, and never the token itself. */
export function principalOf(token: string): string {
  return hash('sha256', `synapse principal ${token}`, 'hex').slice(0, 16);
}

/**
 * Checks an `Authorization` header. Hashes are compared, which have one length, and in constant time: how long it
 * takes tells nothing about the token.
 */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = hash('sha256', token, 'buffer');
  return (authorization) => {
    const given = BEARER.exec(authorization ?? '')?.[1];
    return given !== undefined && timingSafeEqual(hash('sha256', given, 'buffer'), expected);
  };
}
