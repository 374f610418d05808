/** Characters that reorder text, or that a terminal does not show: two names that look the same may differ by one of them. */
const UNSEEN = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}`;
/** Joiners belong to scripts and emoji. Beside ASCII, or at the end, they only hide. */
const JOINERS = String.raw`(?<![\u0080-\u{10ffff}])[\u200c\u200d]|[\u200c\u200d](?![\u0080-\u{10ffff}])`;
/** The only control characters that may reach a terminal: line ends and tabs. */
const ACTING = new RegExp(String.raw`\r\n|[\p{Cc}${UNSEEN}]|${JOINERS}`, 'gu');
const IN_JSON = new RegExp(String.raw`[\u007f-\u009f${UNSEEN}]|${JOINERS}`, 'gu');

function visible(match: string): string {
  if (match === '\n' || match === '\t' || match === '\r\n') return match;
  const code = match.codePointAt(0) ?? 0;
  // Unicode has symbols for the ASCII control characters; others are shown by their code.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/**
 * Makes text safe for a terminal. Files, file names and command output may contain escape sequences that
 * change the terminal or answer its questions, and characters that reorder text or that are not shown.
 */
export function visibleText(text: string): string {
  return text.replace(ACTING, visible);
}

/** Text on one line: line ends in a rule or a folder name could imitate another line. */
export function inLine(text: string): string {
  return text.replaceAll(/\s*[\n\r]\s*/gu, '⏎');
}

/** JSON text that is safe on a terminal and still the same value. */
export function visibleJson(json: string): string {
  return json.replace(IN_JSON, (match) =>
    Array.from({ length: match.length }, (_, unit) => `\\u${match.charCodeAt(unit).toString(16).padStart(4, '0')}`).join(''),
  );
}
