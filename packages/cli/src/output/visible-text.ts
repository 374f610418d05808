/** The only control characters that may reach a terminal: line ends and tabs. */
const ACTING = /\r\n|[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

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
 * change the terminal or answer its questions, and characters that reorder text.
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
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (match) => {
    return `\\u${match.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
