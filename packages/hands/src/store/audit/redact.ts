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
    String.raw`\bGOCSPX-[A-Za-z0-9_-]{16,}`,
    String.raw`\bya29\.[A-Za-z0-9_-]{16,}`,
    String.raw`\bnpm_[A-Za-z0-9]{20,}`,
    String.raw`\bpypi-[A-Za-z0-9_-]{16,}`,
    String.raw`\bhf_[A-Za-z0-9]{20,}`,
    String.raw`\bhv[bs]\.[A-Za-z0-9_-]{16,}`,
    String.raw`\b(?:dop|doo|dor)_v1_[a-f0-9]{16,}`,
    String.raw`\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}`,
    String.raw`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`,
    String.raw`\bwhsec_[A-Za-z0-9+/=]{16,}`,
    String.raw`\bATATT3[A-Za-z0-9_=-]{16,}`,
    String.raw`\bAGE-SECRET-KEY-1[A-Z0-9]{16,}`,
    String.raw`\bhooks\.slack\.com/services/[A-Za-z0-9/]{8,}`,
    String.raw`\b\d{8,10}:AA[A-Za-z0-9_-]{30,}`,
    String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{8,}`,
    String.raw`\bxapp-[A-Za-z0-9-]{8,}`,
    String.raw`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?`,
    String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?`,
  ].join('|'),
  'gu',
);

/** Names that say their value is a secret. */
const SECRET_NAME =
  /(?:^|[_.-])(?:api_?key|access_?key|account_?key|[a-z]*secret|[a-z]*token|[a-z]*passw(?:or)?d|sshpass|passphrase|credentials?|private_?key|secret_?key|auth|authorization|cookie|session_?key|dsn)s?(?:$|[_.-])|[_.-]pwd$/iu;

/** Whether a name says that its value is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/([a-z\d])([A-Z])/gu, '$1_$2'));
}

/** Whether a text may hold a secret behind a name; most hold none, and are looked at no further. */
const MAY_NAME_ONE = /key|secret|token|pass|pwd|credential|auth|cookie|dsn|bearer|basic|user|-u\b/iu;

/** A value behind a name: quoted, or up to what ends a word for a shell. */
const VALUE = String.raw`"[^"]*"|'[^']*'|[^\s'";&|]+`;
/** `NAME=value` in a command, `--name value`, and `name: value` as in YAML and JSON; the last group holds the value. */
const NAMED: readonly RegExp[] = [
  new RegExp(String.raw`(?<![A-Za-z0-9])(_*([A-Za-z][A-Za-z0-9_.-]{0,63})=)(${VALUE})`, 'gu'),
  new RegExp(String.raw`(?<![\w-])(--?([A-Za-z][A-Za-z0-9_-]{0,63})\s{1,4})(?!-)(${VALUE})`, 'gu'),
  // Without quotes and digits it is more likely a type than a secret.
  /(?<![A-Za-z0-9])(["']?_*([A-Za-z][A-Za-z0-9_.-]{0,63})["']?\s{0,4}:\s{0,4})("[^"\n]*"|'[^'\n]*'|(?=[^\s\d]{0,255}\d)[^\s'",;&|}\]]{6,})/gu,
];
/** All of a header, but for the word that says of what kind it is. */
const HEADER =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,40}(?:key|token)|private-token)(\s{0,4}:\s{0,4}(?:(?:bearer|basic|token|digest)\s{1,4})?)[^"'\n]+/giu;
const BEARER = /\b((?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{12,}/giu;
/** `curl -u name:password`. */
const USER = /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]{1,4}["']?[^\s:"']{1,128}:)[^\s"']+/gu;
/** What signs or opens an address, under names that say so only there: `?sig=…`, `&code=…`. */
const QUERY = /([?&][\w.-]{0,40}?(?:sig|signature|key|code|ticket)=)[^\s&#"'<>]{8,}/giu;
/** The password in `scheme://user:password@host`, and a token that stands there alone. */
const USER_INFO = /(:\/\/(?:[^\s/:@]{0,128}:(?=[^\s/@])|(?=[^\s/:@]{16})))[^\s/@]{1,256}@/gu;

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
    if (value !== undefined && value.length >= MIN_SECRET_CHARACTERS && isSecretName(name)) values.push(value);
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
    result = result.replace(TOKENS, REDACTED).replace(USER_INFO, `$1${REDACTED}@`).replace(QUERY, `$1${REDACTED}`);
    if (!MAY_NAME_ONE.test(result)) return result;
    result = result.replace(HEADER, `$1$2${REDACTED}`).replace(BEARER, `$1${REDACTED}`).replace(USER, `$1${REDACTED}`);
    for (const pattern of NAMED)
      result = result.replace(pattern, (whole, start: string, name: string) => (isSecretName(name) ? `${start}${REDACTED}` : whole));
    return result;
  };
}

/** Characters beyond the kept part of a text, so that a secret that begins in it is seen whole. A private key of 4,096 bits has 3,300. */
const LOOK_AHEAD = 4_096;

/** The beginning of a text without secrets. What is cut first has lost the shape by which it is known. */
export function redactedStart(text: string, characters: number, redact: Redact): string {
  return redact(text.slice(0, characters + LOOK_AHEAD)).slice(0, characters);
}
