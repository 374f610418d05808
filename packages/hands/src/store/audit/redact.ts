/** What stands in a record where a secret stood. */
export const REDACTED = '[redacted]';

/**
 * Shapes of secrets that name themselves. One alternation, so that a text is walked once; no
 * quantifier has two ways to match the same characters, so that no text makes it slow.
 */
const TOKENS = new RegExp(
  [
    String.raw`\bgh[opusr]_[A-Za-z0-9]{16,}`,
    String.raw`\bgithub_pat_[A-Za-z0-9_]{16,}`,
    String.raw`\bglpat-[A-Za-z0-9_-]{16,}`,
    String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
    String.raw`\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}`,
    String.raw`\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b`,
    String.raw`\bAIza[A-Za-z0-9_-]{30,}`,
    String.raw`\bnpm_[A-Za-z0-9]{20,}`,
    String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{8,}`,
    String.raw`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?`,
    String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?`,
  ].join('|'),
  'gu',
);

/** Names that say their value is a secret. */
export const SECRET_NAME =
  /(?:^|[_.-])(?:api_?key|access_?key|secret|token|passw(?:or)?d|passphrase|credentials?|private_?key|auth|authorization|cookie|session_?key|dsn)s?(?:$|[_.-])/iu;

/** `NAME=value` in a command and `Authorization: Bearer …` in a header; the value is what the second group holds. */
const ASSIGNMENT = /\b([A-Za-z][A-Za-z0-9_.-]{0,63}=)("[^"]*"|'[^']*'|[^\s'";&|]+)/gu;
const BEARER = /\b((?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{12,}/giu;
/** What signs or opens an address, under names that say so only there: `?sig=…`, `&code=…`. */
const QUERY = /([?&][\w.-]{0,40}?(?:sig|signature|key|code|ticket)=)[^\s&#"'<>]{8,}/giu;
/** The password in `scheme://user:password@host`. */
const USER_INFO = /(:\/\/[^\s/:@]{0,128}:)[^\s/@]{1,256}@/gu;

/** Values shorter than this are words that stand anywhere. */
const MIN_SECRET_CHARACTERS = 8;

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/**
 * The values of variables that no child process gets to see, where their name says that they are secrets.
 *
 * @param denied the environment without what children are given
 */
export function secretValues(denied: Readonly<Record<string, string | undefined>>): string[] {
  const values: string[] = [];
  for (const [name, value] of Object.entries(denied)) {
    if (value !== undefined && value.length >= MIN_SECRET_CHARACTERS && SECRET_NAME.test(name)) values.push(value);
  }
  // Longest first: one secret may begin with another.
  return values.toSorted((a, b) => b.length - a.length);
}

/** Makes a function that takes secrets out of texts: those with a known shape, and the given ones. */
export function redactor(secrets: readonly string[]): Redact {
  return (text) => {
    let result = text;
    for (const secret of secrets) if (result.includes(secret)) result = result.replaceAll(secret, REDACTED);
    // No shape above is shorter; most arguments are.
    if (result.length < MIN_SECRET_CHARACTERS) return result;
    return result
      .replace(TOKENS, REDACTED)
      .replace(USER_INFO, `$1${REDACTED}@`)
      .replace(QUERY, `$1${REDACTED}`)
      .replace(BEARER, `$1${REDACTED}`)
      .replace(ASSIGNMENT, (whole, name: string) => (SECRET_NAME.test(name.slice(0, -1)) ? `${name}${REDACTED}` : whole));
  };
}
