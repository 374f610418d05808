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

/** How HTML writes characters that mean something in it; servers differ in the number and its notation. */
const HTML: ReadonlyArray<Readonly<Record<string, string>>> = [
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#x27;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;', '/': '&#x2F;', '=': '&#x3D;', '`': '&#x60;' },
];

const escaped = (secret: string, table: Readonly<Record<string, string>>): string => Array.from(secret, (one) => table[one] ?? one).join('');

/** The forms in which a server may answer what it was sent: those of {@link secretForms}, in other notations, and escaped in JSON and HTML. */
export function answeredForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const inAddress = encodeURIComponent(secret.toWellFormed());
  const reversed = Array.from(secret).toReversed().join('');
  return [
    ...new Set([
      ...secretForms(secret),
      inAddress.replaceAll('%20', '+'),
      inAddress.replaceAll(/%[\dA-F]{2}/gu, (code) => code.toLowerCase()),
      json,
      json.replaceAll('/', String.raw`\/`),
      json.replaceAll(/[<>&='"+]/gu, (one) => String.raw`\u00${one.charCodeAt(0).toString(16)}`),
      ...HTML.map((table) => escaped(secret, table)),
      Buffer.from(secret).toString('hex').toUpperCase(),
      reversed,
    ]),
  ];
}
