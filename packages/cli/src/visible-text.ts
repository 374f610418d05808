/** Line ends and tabs are the only control characters that a terminal may act on. */
const ACTING = /\r\n|[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

function visible(match: string): string {
  if (match === '\n' || match === '\t' || match === '\r\n') return match;
  const code = match.codePointAt(0) ?? 0;
  // Unicode has pictures of the old control characters; of the others their number is shown.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/**
 * Text that is safe on a terminal. A file, a file name or the output of a command may hold escape
 * sequences that retitle, repaint or answer for the person who looks, and marks that reorder what is read.
 */
export function visibleText(text: string): string {
  return text.replace(ACTING, visible);
}

/** A text in one line: a rule or the name of a folder may hold line ends, which would forge another line. */
export function inLine(text: string): string {
  return text.replaceAll(/\s*[\n\r]\s*/gu, '⏎');
}

/** JSON text that is safe on a terminal and still the same value. */
export function visibleJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (match) => {
    return `\\u${match.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
