/** Names of files, branches and remotes that can stand without quotes: none of them reads like a further sentence. */
const PLAIN_NAME = /^(?![- ])[^\s"'\\~^:?*[;,()\p{C}]+$/u;
/** Maximum length of a name or a message in a sentence, in characters. The whole name stands in the list below. */
const MAX_NAME = 80;

const bounded = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text);

/** A name in a sentence; in quotes unless it is a usual one. */
export function shownName(name: string): string {
  const short = bounded(name, MAX_NAME);
  return PLAIN_NAME.test(name) ? short : JSON.stringify(short);
}

/** A text that a command chose, in quotes that it cannot end. */
export function shownText(text: string, most = MAX_NAME): string {
  return JSON.stringify(bounded(text, most));
}
