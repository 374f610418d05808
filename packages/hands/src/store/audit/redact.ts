import { remembering } from '../../text/remembering.ts';
import { secretForms } from './secret-forms.ts';

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
    String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----END))*(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`,
  ].join('|'),
  'gu',
);

/** Names that say their value is a secret. */
const SECRET_NAME =
  /(?:^|[_.-])(?:(?:api|access|account)[_-]?key|[a-z]*secret|[a-z]*token|[a-z]*passw(?:or)?d|sshpass|pass|passphrase|credentials?|(?:private|secret|subscription|signing|encryption|master)[_-]?key|auth|authorization|cookie|session[_-]?key|dsn)s?(?:$|[_.-])|[_.-]pwd$/iu;

/** As variables for the keys of services are named, `STRIPE_KEY`; not the keys that all may know, or that only name a place. */
const KEY_VARIABLE = /^(?!.*(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE)_KEY$)[A-Z][A-Z0-9_]*_KEY$/u;

/** Whether a name says that its value is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `STRIPE_KEY`. */
export const isSecretName: (name: string) => boolean = remembering(
  (name) => KEY_VARIABLE.test(name) || SECRET_NAME.test(name.replace(/([a-z\d])([A-Z])/gu, '$1_$2')),
);

/** Whether a text may hold a secret behind a name; most hold none, and are looked at no further. */
const MAY_NAME_ONE = /key|secret|token|pass|pwd|credential|auth|cookie|dsn|bearer|basic|user|-[a-z]{0,8}u/iu;

/** A value behind a name: quoted, or up to what ends a word for a shell. */
const VALUE = String.raw`\\{1,3}"[^"\\\n]*\\{1,3}"|"[^"]*"|'[^']*'|[^\s'";&|]+`;
/** `NAME=value` in a command, `--name value`, and `name: value` as in YAML and JSON; the last group holds the value. */
const NAMED: readonly RegExp[] = [
  new RegExp(String.raw`(?<![A-Za-z0-9])(_*([A-Za-z][A-Za-z0-9_.-]{0,63})=)(${VALUE})`, 'gu'),
  new RegExp(String.raw`(?<![\w-])(--?([A-Za-z][A-Za-z0-9_-]{0,63})\s{1,4})(?!-)(${VALUE})`, 'gu'),
  // Without quotes and digits it is more likely a type than a secret. In a text within a text the quotes are escaped.
  /(?<![A-Za-z0-9])((?:\\{0,3}["'])?_*([A-Za-z][A-Za-z0-9_.-]{0,63})(?:\\{0,3}["'])?\s{0,4}[:=]\s{0,4})(\\{1,3}"[^"\\\n]*\\{1,3}"|"[^"\n]*"|'[^'\n]*'|(?=[^\s\d]{0,255}\d)[^\s'",;&|}\]]{6,})/gu,
];
/** All of a header, but for the word that says of what kind it is. */
const HEADER =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,40}(?:key|token)|private-token)(\s{0,4}:\s{0,4}(?:(?:bearer|basic|token|digest)\s{1,4})?)[^"'\n]+/giu;
const BEARER = /\b((?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{12,}/giu;
/** `curl -u name:password`. */
const USER = /((?:^|\s)(?:-[A-Za-z]{0,8}[uU]|--user|--proxy-user)[\s=]{0,4}["']?[^\s:"']{1,128}:)[^\s"']+/gu;
/** Options that hold a password only for these programs, and values behind a name and a space: at most so many words apart. */
const WORDS = String.raw`(?:\s{1,4}[^\s;&|]{1,128}){0,8}?\s{1,4}`;
const PROGRAM_OPTIONS: readonly RegExp[] = [
  new RegExp(String.raw`(\b(?:mysql\w{0,10}|mariadb[\w-]{0,10}|7z[az]?|rar|unrar)${WORDS}-p)(${VALUE})`, 'gu'),
  new RegExp(String.raw`(\b(?:sshpass|docker\s{1,4}login|podman\s{1,4}login|oc\s{1,4}login)${WORDS}-p\s{0,4})(${VALUE})`, 'gu'),
  new RegExp(String.raw`(\b(?:zip|unzip)${WORDS}-P\s{0,4})(${VALUE})`, 'gu'),
  new RegExp(String.raw`(\bredis-cli${WORDS}-a\s{0,4})(${VALUE})`, 'gu'),
  new RegExp(String.raw`(\bopenssl${WORDS}-k\s{1,4})(${VALUE})`, 'gu'),
  new RegExp(String.raw`(-pass(?:in|out)?\s{1,4}pass:)(${VALUE})`, 'gu'),
  new RegExp(String.raw`(\blogin\s{1,4}[^\s]{1,128}\s{1,4}password\s{1,4})(${VALUE})`, 'gu'),
];
/** `config set NAME VALUE`, as npm, aws and others have it; the second group holds the name. */
const SETTING = new RegExp(String.raw`(\bset\s{1,4}[^\s=;&|]{0,128}?([A-Za-z][A-Za-z0-9_.-]{0,63})\s{1,4})(${VALUE})`, 'gu');
/** Names that may hold a password in an option are short ones; without these words there is none. */
const MAY_HAVE_OPTION = /mysql|mariadb|7z|rar|login|zip|redis-cli|openssl|-pass|sshpass/u;
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

/** Takes out values behind names that say so. `--from-literal=password=x` has a name within a value. */
function withoutNamed(text: string, pattern: RegExp, deeper = true): string {
  return text.replace(pattern, (whole: string, start: string, name: string, value: string) => {
    if (isSecretName(name)) return `${start}${REDACTED}`;
    return deeper && value.includes('=') ? `${start}${withoutNamed(value, pattern, false)}` : whole;
  });
}

/** Makes a function that takes secrets out of texts: those with a known shape, and the given ones. */
export function redactor(secrets: readonly string[]): Redact {
  const known = secrets.flatMap(secretForms);
  return remembering((text) => {
    let result = text;
    for (const secret of known) if (result.includes(secret)) result = result.replaceAll(secret, REDACTED);
    // No shape above is shorter; most arguments are.
    if (result.length < MIN_SECRET_CHARACTERS) return result;
    result = result.replace(TOKENS, REDACTED).replace(USER_INFO, `$1${REDACTED}@`).replace(QUERY, `$1${REDACTED}`);
    if (MAY_HAVE_OPTION.test(result)) for (const pattern of PROGRAM_OPTIONS) result = result.replace(pattern, `$1${REDACTED}`);
    if (!MAY_NAME_ONE.test(result)) return result;
    result = result.replace(HEADER, `$1$2${REDACTED}`).replace(BEARER, `$1${REDACTED}`).replace(USER, `$1${REDACTED}`);
    for (const pattern of [...NAMED, SETTING]) result = withoutNamed(result, pattern);
    return result;
  });
}

/** Characters beyond the kept part of a text, so that a secret that begins in it is seen whole. A private key of 4,096 bits has 3,300. */
const LOOK_AHEAD = 4_096;

/** The beginning of a text without secrets. What is cut first has lost the shape by which it is known. */
export function redactedStart(text: string, characters: number, redact: Redact): string {
  return redact(text.slice(0, characters + LOOK_AHEAD)).slice(0, characters);
}
