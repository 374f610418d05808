/** How a line ends. */
export type LineEnd = '\n' | '\r\n';

/** A text with every CRLF as LF. */
export function toLineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

/** A text, given with LF, with other line ends. */
export function withLineEnd(text: string, end: LineEnd): string {
  return end === '\n' ? text : text.replaceAll('\n', end);
}

/** The line end that most lines of a part have; undefined where there is none, or as many of each. */
export function mostLineEnds(text: string, start = 0, end = text.length): LineEnd | undefined {
  let balance = 0;
  for (let index = text.indexOf('\n', start); index !== -1 && index < end; index = text.indexOf('\n', index + 1)) {
    balance += index > start && text[index - 1] === '\r' ? 1 : -1;
  }
  return balance === 0 ? undefined : balance > 0 ? '\r\n' : '\n';
}
