import { describe, expect, it } from 'vitest';
import { Scrubber, TextScrubber, unseen } from './scrubber.ts';

describe('a JSON web token', () => {
  const tokenOf = (claims: object, signature: string): string =>
    `${Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  const SERVICE = tokenOf({ iss: 'supabase', ref: 'abcdefghijklmnopqrst', role: 'service_role' }, 'kq0s_Jd8UkhO7zJ8Qw2-vYx1Lf5cRt9BnEw3MpAaZiU');
  const others = [
    tokenOf({ iss: 'supabase', ref: 'abcdefghijklmnopqrst', role: 'anon' }, 'Zt7Wn1-cVbR4eXq9LuYpOi3MkSjHgFdA2Qw8Er5Ty6U'),
    tokenOf({ sub: 'me' }, 'Zt7Wn1-cVbR4eXq9LuYpOi3MkSjHgFdA2Qw8Er5Ty6U'),
  ];
  const texts = new TextScrubber(unseen([SERVICE]));

  it('of the same server is not masked, whole, cut or in pieces', () => {
    for (const other of others) {
      expect(texts.clean(`{"access_token":"${other}"}`)).toBe(`{"access_token":"${other}"}`);
      expect(texts.clean(`${other.slice(0, -20)}…`)).toBe(`${other.slice(0, -20)}…`);
      const stream = new Scrubber(unseen([SERVICE]));
      const pieces = Array.from(other, (character) => stream.push(Buffer.from(character)).toString());
      expect(pieces.join('') + stream.end().toString()).toBe(other);
    }
  });

  it('that is a secret is masked, whole and cut', () => {
    const signatureAt = SERVICE.lastIndexOf('.') + 1;
    for (const length of [SERVICE.length, SERVICE.length - 1, signatureAt + 1, signatureAt, 60])
      for (const end of ['', '…', '...', '\n', '"', ' ']) {
        const begun = SERVICE.slice(0, length);
        expect(texts.clean(`a ${begun}${end}`)).toBe(`a ${'*'.repeat(length)}${end}`);
      }
    const stream = new Scrubber(unseen([SERVICE]));
    expect(Array.from(`a ${SERVICE}b`, (character) => stream.push(Buffer.from(character)).toString()).join('') + stream.end().toString()).toBe(
      `a ${'*'.repeat(SERVICE.length)}b`,
    );
    // One that goes on with another signature shows nothing of this one's.
    expect(texts.clean(`${SERVICE.slice(0, signatureAt + 2)}xyz`)).toBe(`${'*'.repeat(signatureAt + 2)}xyz`);
  });
});
