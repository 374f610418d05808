import { secretForms } from '../secrets/secret-forms.ts';

/** Maximum number of remembered texts, and of characters in each. */
const MAX_REMEMBERED = 64;
const MAX_CHARACTERS = 256;

/**
 * Memoizes a pure function for the last few short texts. A call names its path in four places, and the
 * names of tools and fields repeat.
 */
export function memoize<T>(judge: (text: string) => T): (text: string) => T {
  const seen = new Map<string, { readonly said: T }>();
  return (text) => {
    if (text.length > MAX_CHARACTERS) return judge(text);
    const before = seen.get(text);
    if (before !== undefined) return before.said;
    const said = judge(text);
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.set(text, { said });
    return said;
  };
}

/** Replaces a secret in a record. */
export const REDACTED = '[redacted]';

/**
 * Patterns of secrets with a recognizable format. One alternation, so that a text is scanned once. No
 * quantifier can match the same characters in two ways, so no text makes it slow.
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

/** Names of secrets. */
const SECRET_NAME =
  /(?:^|[_.-])(?:(?:api|access|account)[_-]?key|[a-z]*secret|[a-z]*token|[a-z]*passw(?:or)?d|sshpass|pass|passphrase|credentials?|(?:private|secret|subscription|signing|encryption|master)[_-]?key|auth|authorization|cookie|session[_-]?key|dsn)s?(?:$|[_.-])|[_.-]pwd$/iu;

/** Variables for the keys of services, such as `STRIPE_KEY`; not public keys, or keys that are only identifiers. */
const KEY_VARIABLE = /^(?!.*(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE)_KEY$)[A-Z][A-Z0-9_]*_KEY$/u;

/** Whether a name says that its value is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `STRIPE_KEY`. */
export const isSecretName: (name: string) => boolean = memoize(
  (name) => KEY_VARIABLE.test(name) || SECRET_NAME.test(name.replace(/([a-z\d])([A-Z])/gu, '$1_$2')),
);

/** Whether a text may contain a named secret. Most texts do not, and the patterns below are skipped. */
const MAY_NAME_ONE = /key|secret|token|pass|pwd|credential|auth|cookie|dsn|bearer|basic|user|-[a-z]{0,8}u/iu;

/** A value after a name: quoted, or up to the end of a shell word. */
const VALUE = String.raw`\\{1,3}"[^"\\\n]*\\{1,3}"|"[^"]*"|'[^']*'|[^\s'";&|]+`;
/** `NAME=value` in a command, `--name value`, and `name: value` as in YAML and JSON. The last group is the value. */
const NAMED: readonly RegExp[] = [
  new RegExp(String.raw`(?<![A-Za-z0-9])(_*([A-Za-z][A-Za-z0-9_.-]{0,63})=)(${VALUE})`, 'gu'),
  new RegExp(String.raw`(?<![\w-])(--?([A-Za-z][A-Za-z0-9_-]{0,63})\s{1,4})(?!-)(${VALUE})`, 'gu'),
  // A value without quotes and digits is more likely a type than a secret. The quotes of a nested text are escaped.
  /(?<![A-Za-z0-9])((?:\\{0,3}["'])?_*([A-Za-z][A-Za-z0-9_.-]{0,63})(?:\\{0,3}["'])?\s{0,4}[:=]\s{0,4})(\\{1,3}"[^"\\\n]*\\{1,3}"|"[^"\n]*"|'[^'\n]*'|(?=[^\s\d]{0,255}\d)[^\s'",;&|}\]]{6,})/gu,
];
/** A whole header, except for the word that names its scheme. */
const HEADER =
  /\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z-]{0,40}(?:key|token)|private-token)(\s{0,4}:\s{0,4}(?:(?:bearer|basic|token|digest)\s{1,4})?)[^"'\n]+/giu;
const BEARER = /\b((?:bearer|basic|token)\s+)[A-Za-z0-9+/=._~-]{12,}/giu;
/** `curl -u name:password`. */
const USER = /((?:^|\s)(?:-[A-Za-z]{0,8}[uU]|--user|--proxy-user)[\s=]{0,4}["']?[^\s:"']{1,128}:)[^\s"']+/gu;
/** Options that hold a password only for these programs, and values after a name and a space. At most 8 words may come between. */
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
/** `config set NAME VALUE`, used by npm, aws and others. The second group is the name. */
const SETTING = new RegExp(String.raw`(\bset\s{1,4}[^\s=;&|]{0,128}?([A-Za-z][A-Za-z0-9_.-]{0,63})\s{1,4})(${VALUE})`, 'gu');
/** The patterns above only match texts that contain one of these words. */
const MAY_HAVE_OPTION = /mysql|mariadb|7z|rar|login|zip|redis-cli|openssl|-pass|sshpass/u;
/** Query parameters that sign or authorize a URL, with names that only mean that in a URL: `?sig=…`, `&code=…`. */
const QUERY = /([?&][\w.-]{0,40}?(?:sig|signature|key|code|ticket)=)[^\s&#"'<>]{8,}/giu;
/** The password in `scheme://user:password@host`, or a token without a user name. */
const USER_INFO = /(:\/\/(?:[^\s/:@]{0,128}:(?=[^\s/@])|(?=[^\s/:@]{16})))[^\s/@]{1,256}@/gu;

/** Minimum number of characters of a secret. Shorter values are words that appear anywhere. */
const MIN_SECRET_CHARACTERS = 8;

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/**
 * Returns the values of variables that are hidden from child processes and whose names say that they are secrets.
 *
 * @param denied the variables that children do not receive
 */
export function secretValues(denied: Readonly<Record<string, string | undefined>>): string[] {
  const values: string[] = [];
  for (const [name, value] of Object.entries(denied)) {
    if (value !== undefined && value.length >= MIN_SECRET_CHARACTERS && isSecretName(name)) values.push(value);
  }
  // Longest first: one secret may be the beginning of another.
  return values.toSorted((a, b) => b.length - a.length);
}

/** Removes values after secret names. Also checks names inside a value, as in `--from-literal=password=x`. */
function withoutNamed(text: string, pattern: RegExp, deeper = true): string {
  return text.replace(pattern, (whole: string, start: string, name: string, value: string) => {
    if (isSecretName(name)) return `${start}${REDACTED}`;
    return deeper && value.includes('=') ? `${start}${withoutNamed(value, pattern, false)}` : whole;
  });
}

/** Creates a function that removes secrets from texts: those with a known pattern, and the given ones. */
export function redactor(secrets: readonly string[]): Redact {
  // Longest first: replacing the shorter of two secrets with the same beginning would leave the end of the longer one.
  const known = secrets.flatMap(secretForms).toSorted((one, other) => other.length - one.length);
  return memoize((text) => {
    let result = text;
    for (const secret of known) if (result.includes(secret)) result = result.replaceAll(secret, REDACTED);
    // All patterns need more characters; most arguments have fewer.
    if (result.length < MIN_SECRET_CHARACTERS) return result;
    result = result.replace(TOKENS, REDACTED).replace(USER_INFO, `$1${REDACTED}@`).replace(QUERY, `$1${REDACTED}`);
    if (MAY_HAVE_OPTION.test(result)) for (const pattern of PROGRAM_OPTIONS) result = result.replace(pattern, `$1${REDACTED}`);
    if (!MAY_NAME_ONE.test(result)) return result;
    result = result.replace(HEADER, `$1$2${REDACTED}`).replace(BEARER, `$1${REDACTED}`).replace(USER, `$1${REDACTED}`);
    for (const pattern of [...NAMED, SETTING]) result = withoutNamed(result, pattern);
    return result;
  });
}

/** Maximum number of learned secrets, because each text is searched for all of them. Tokens are renewed about once an hour. */
const MAX_LEARNED = 200;

/** A redactor that can learn more secrets. */
interface LearningRedactor {
  readonly redact: Redact;
  readonly learn: (secrets: readonly string[]) => void;
}

/** Creates a redactor to which secrets can be added later, such as the tokens of a login. */
export function learningRedactor(secrets: readonly string[]): LearningRedactor {
  const learned = new Set<string>();
  let current = redactor(secrets);
  return {
    redact: (text) => current(text),
    learn(more) {
      const news = more.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS && !learned.has(secret));
      if (news.length === 0) return;
      for (const secret of news) learned.add(secret);
      // The oldest tokens were replaced long ago.
      for (const secret of [...learned].slice(0, -MAX_LEARNED)) learned.delete(secret);
      current = redactor([...secrets, ...learned]);
    },
  };
}

/** Characters redacted beyond the kept part, so that a secret that starts in it is complete. A 4,096-bit private key has 3,300. */
const LOOK_AHEAD = 4_096;

/** Returns the beginning of a text without secrets. Redacts before cutting, because a cut secret no longer matches its pattern. */
export function redactedStart(text: string, characters: number, redact: Redact): string {
  return redact(text.slice(0, characters + LOOK_AHEAD)).slice(0, characters);
}
