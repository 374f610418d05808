/** The lines of a text, by number from 0. A line feed at the end begins no further line. */
export interface Lines {
  readonly count: number;
  /** Where a line begins; of the line after the last one, the end of the text. */
  start(line: number): number;
  /** Where its line end begins. */
  contentEnd(line: number): number;
  /** A line without its line end. */
  text(line: number): string;
  /** The line that a place is in. */
  at(position: number): number;
}

/** Finds the lines of a text. Only LF and CRLF end a line. */
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
