/** The functions that a call ran, by file. */
export type Ran = ReadonlyMap<string, readonly string[]>;

/** What a warm call runs, as a line, and whether that is within the limit. */
export interface WarmCount {
  readonly ran: Ran;
  readonly isWithin: boolean;
  readonly line: string;
}

/**
 * Returns the count of a warm call from those of some calls that follow each other. Now and then a call also renews what is kept for a
 * while, and on a loaded machine many do. That only adds files, so the smallest count is that of a warm call.
 */
export function warmCount(name: string, calls: readonly Ran[], maxFiles: number): WarmCount {
  const ran = calls.reduce((least, next) => (next.size < least.size ? next : least));
  const isWithin = ran.size <= maxFiles;
  const functions = [...ran.values()].reduce((sum, { length }) => sum + length, 0);
  const first = calls.findIndex(({ size }) => size <= maxFiles) + 1;
  const tries = !isWithin
    ? `; none of ${calls.length} calls was within the limit`
    : first === 1
      ? ''
      : `; call ${first} was the first within the limit`;
  return { ran, isWithin, line: `${name}: ${ran.size} files (at most ${maxFiles}), ${functions} functions${tries}` };
}
