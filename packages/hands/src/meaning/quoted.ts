/** Names of files, branches and remotes that can stand without quotes: none of them reads like a further sentence. */
const PLAIN_NAME = /^(?![- ])[^\s"'\\~^:?*[;,()\p{C}]+$/u;
/** Maximum length of a name or a message in a sentence, in characters. The whole name is in the list below. */
const MAX_NAME = 80;

const bounded = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text);

/** What is not seen, or reorders what is. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const UNSEEN_ALL = new RegExp(UNSEEN, 'gu');

const quoted = (text: string): string => JSON.stringify(text).replaceAll(UNSEEN_ALL, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);

/** A name in a sentence; in quotes unless it is a usual one. */
export function shownName(name: string): string {
  const short = bounded(name, MAX_NAME);
  return PLAIN_NAME.test(name) && !UNSEEN.test(name) ? short : quoted(short);
}

/** A text that a command chose, in quotes that it cannot end. */
export function shownText(text: string, most = MAX_NAME): string {
  return quoted(bounded(text, most));
}
