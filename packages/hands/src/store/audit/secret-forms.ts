/** Shorter pieces of an encoded secret could be part of anything. */
const MIN_CHARACTERS = 8;

/**
 * The same bytes as base64 shows them, wherever among others they stand: three texts for the three places that a byte can
 * have in a group, without the characters at both ends that its neighbours share.
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

/** A secret and the forms in which it is handed on: in addresses, in base64 (also that of addresses), in hexadecimal. */
export function secretForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = base64Forms(bytes);
  const inAddress = encodeURIComponent(secret.toWellFormed());
  const forms = [secret, inAddress, ...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')), bytes.toString('hex')];
  return [...new Set(forms)].filter((form) => form === secret || form.length >= MIN_CHARACTERS);
}
