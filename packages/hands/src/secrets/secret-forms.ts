/** Minimum number of characters of an encoded secret. Shorter pieces could be part of any text. */
const MIN_CHARACTERS = 8;

/**
 * Returns the base64 texts of a secret at any position among other bytes: one for each of the three positions that a
 * byte can have in a group, without the characters at both ends that neighboring bytes affect.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/u, '');
    const first = Math.ceil((before * 8) / 6);
    const partial = ((before + bytes.length) * 8) % 6 === 0 ? 0 : 1;
    return text.slice(first, text.length - partial);
  });
}

/** Returns a secret and its encoded forms: URL-encoded, base64 (also base64url), and hexadecimal. */
export function secretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = base64Forms(bytes);
  const inAddress = encodeURIComponent(secret.toWellFormed());
  const forms = [secret, inAddress, ...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')), bytes.toString('hex')];
  return [...new Set(forms)].filter((form) => form === secret || form.length >= MIN_CHARACTERS);
}
