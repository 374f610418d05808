import { width } from './columns.ts';

/** Begins lines that are no sentences: rows, commands to copy, and diffs. */
const NO_SENTENCE = /^[\s+@|>-]/u;

/** Breaks a line at spaces. A longer word stays whole: it may be a path to copy. */
function broken(line: string, columns: number): string {
  const lines: string[] = [];
  let current = '';
  let taken = 0;
  for (const word of line.split(' ')) {
    const room = width(word);
    if (current !== '' && taken + 1 + room > columns) {
      lines.push(current);
      current = word;
      taken = room;
    } else {
      taken += room + (current === '' ? 0 : 1);
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].join('\n');
}

/** Wraps sentences at spaces, so that a terminal does not break them inside words. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (width(line) <= columns || NO_SENTENCE.test(line) ? line : broken(line, columns)))
    .join('\n');
}
