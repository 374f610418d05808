import type { Secret, SecretWay } from './secret.ts';

/** Shorter texts appear anywhere, so they cannot be taken out of it. */
export const MIN_CHARACTERS = 8;
/** Lines of one character, such as a row of dashes, appear as often. */
export const MIN_DIFFERENT = 4;

/** A scheme of HTTP before a value, as in `Token 0123…`. */
const SCHEME = /^[A-Za-z][\w-]{0,31} +(?<rest>\S.*)$/u;

/** What of a value is a secret alone, as servers show it: a password without its user, a token without its scheme. */
function partsOf(value: string, as: SecretWay): string[] {
  const password = (text: string): string => text.slice(text.indexOf(':') + 1);
  if (as.kind === 'basic') return as.user === undefined ? [password(value)] : [];
  const rest = as.kind === 'header' ? SCHEME.exec(value)?.groups?.['rest'] : undefined;
  if (rest === undefined) return [];
  const decoded = /^basic /iu.test(value) ? Buffer.from(rest, 'base64').toString('latin1') : '';
  return [rest, ...(/^[\x20-\x7e]+$/u.test(decoded) ? [decoded, password(decoded)] : [])];
}

const isLongEnough = (text: string): boolean => text.length >= MIN_CHARACTERS && new Set(text).size >= MIN_DIFFERENT;

/** What must not be seen of a secret: its value, and the parts of it that are secrets alone. */
export function unseenValues({ value, places }: Pick<Secret, 'value'> & { readonly places: ReadonlyArray<{ readonly as: SecretWay }> }): string[] {
  return [...new Set([value, ...places.flatMap(({ as }) => partsOf(value, as)).filter(isLongEnough)])];
}
