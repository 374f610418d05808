import { randomBytes } from 'node:crypto';

/** Beginnings by which programs know the kind of a token. They say nothing about the rest. */
const KNOWN_BEGINNING =
  /^(?:gh[opusr]_|github_pat_|glpat-|npm_|pypi-|sk-(?:proj-|ant-(?:api\d\d-)?|svcacct-)?|[rs]k_(?:live|test)_|hf_|xox[abeoprs]-|xapp-|AKIA|ASIA|AIza)/u;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';
/** A placeholder must not appear by chance, however short the secret is. */
const MIN_RANDOM = 16;

const randomText = (length: number): string => Array.from(randomBytes(length), (byte) => DIGITS[byte % DIGITS.length]).join('');

/**
 * Makes a text of the same kind and length as a secret, which stands for it in one command. Of the secret it has only a beginning that is
 * the same for all of its kind.
 *
 * @param hasUser whether it begins with a user and a `:`. Programs read a password after that, or ask for one
 */
export function placeholderFor(value: string, hasUser = false): string {
  const begin = KNOWN_BEGINNING.exec(value)?.[0] ?? '';
  const text = begin + randomText(Math.max(MIN_RANDOM, value.length - begin.length));
  const at = hasUser ? value.indexOf(':') : -1;
  return at === -1 ? text : `${text.slice(0, at)}:${text.slice(at + 1)}`;
}
