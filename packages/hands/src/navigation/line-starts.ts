/** Offsets of the starts of lines. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/gu)) starts.push(index + end.length);
  return starts;
}

/** The line of an offset, from 1. */
export function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((starts[middle] ?? Infinity) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
