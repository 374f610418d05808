/** The first use of `toLocaleString` takes 25 ms, and numbers below 1,000 need none. */
const grouped = (amount: number): string => (Number.isInteger(amount) && amount >= 0 && amount < 1000 ? `${amount}` : amount.toLocaleString('en'));

/** Formats a count with its noun, such as `1 line` or `2,000 lines`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(amount)} ${amount === 1 ? noun : plural}`;
}

/** Formats a size in bytes, such as `1.2KB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes}B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(1)}${units[unit]}`;
}

/** Something that was not kept. */
export interface LostPath {
  readonly path: string;
  readonly why: string;
}

/** Maximum number of paths that a sentence names. */
const MAX_NAMED = 3;

/** Names the first of many paths, and counts the rest. */
export function firstPaths(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).join(', ');
  return paths.length > MAX_NAMED ? `${named} and ${grouped(paths.length - MAX_NAMED)} more` : named;
}

/**
 * Says what was not kept: one sentence for each reason, with the first paths of many and the number of the rest.
 *
 * @param what the beginning of a sentence about this number of paths
 */
export function lostSentences(lost: readonly LostPath[], what: (amount: number) => string): string[] {
  return [...Map.groupBy(lost, ({ why }) => why)].map(([why, alike]) => {
    const named = firstPaths(alike.map(({ path }) => path));
    return `${what(alike.length)}: ${named} (${why}).`;
  });
}
