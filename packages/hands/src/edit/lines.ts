/** The lines of a text, numbered from 0. A line feed at the end does not begin another line. */
export interface Lines {
  readonly count: number;
  /** Start of a line. For the line after the last one, the end of the text. */
  start(line: number): number;
  /** Start of its line end. */
  contentEnd(line: number): number;
  /** A line without its line end. */
  text(line: number): string;
  /** The line that contains a position. */
  at(position: number): number;
}

/** Indexes the lines of a text. Only LF and CRLF end a line. */
export function indexLines(text: string): Lines {
  const starts: number[] = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  if (starts.at(-1) === text.length) starts.pop();
  const start = (line: number): number => starts[line] ?? text.length;
  const contentEnd = (line: number): number => {
    const end = start(line + 1);
    if (end === start(line) || text[end - 1] !== '\n') return end;
    return text[end - 2] === '\r' && end - 2 >= start(line) ? end - 2 : end - 1;
  };
  return {
    count: starts.length,
    start,
    contentEnd,
    text: (line) => text.slice(start(line), contentEnd(line)),
    at(position) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((starts[middle] ?? 0) <= position) low = middle + 1;
        else high = middle;
      }
      return Math.max(0, low - 1);
    },
  };
}

/** A line end. */
export type LineEnd = '\n' | '\r\n';

/** Replaces every CRLF with LF. */
export function toLineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

/** Converts the line ends of a text from LF. */
export function withLineEnd(text: string, end: LineEnd): string {
  return end === '\n' ? text : text.replaceAll('\n', end);
}

/** Returns the most frequent line end in a range; undefined if there is none, or equally many of each kind. */
export function mostLineEnds(text: string, start = 0, end = text.length): LineEnd | undefined {
  let balance = 0;
  for (let index = text.indexOf('\n', start); index !== -1 && index < end; index = text.indexOf('\n', index + 1)) {
    balance += index > start && text[index - 1] === '\r' ? 1 : -1;
  }
  return balance === 0 ? undefined : balance > 0 ? '\r\n' : '\n';
}

/** Whether a line has nothing but white space. */
export function isBlank(line: string): boolean {
  return line.trim() === '';
}

/** Whether a line has text. */
export function isText(line: string): boolean {
  return line.trim() !== '';
}

/** Minimum length, in characters, of text that is recognized at another place. Shorter text occurs by accident. */
export const MIN_TELLING_CHARACTERS = 8;

/** Maximum number of characters of a line that is shown. */
const MAX_LINE = 160;

/** Cuts a long line to the part around a column. */
export function aroundColumn(line: string, column: number): string {
  if (line.length <= MAX_LINE) return line;
  const start = Math.max(0, Math.min(column - MAX_LINE / 2, line.length - MAX_LINE));
  const part = line.slice(start, start + MAX_LINE).toWellFormed();
  return `${start > 0 ? '…' : ''}${part}${start + MAX_LINE < line.length ? '…' : ''}`;
}
