/** A place of a difference, as `synapse branch diff` numbers them. */
export interface Hunk {
  /** The line that names the place, with the lines below it. */
  readonly text: string;
  /** Lines of the old text, from `start` to before `end`. */
  readonly old: LineRange;
  /** The same of the new text. */
  readonly now: LineRange;
}

interface LineRange {
  readonly start: number;
  readonly end: number;
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;

/** A range of no lines is named by the line before it. */
function rangeOf(first: string | undefined, length: string | undefined): LineRange {
  const count = Number(length ?? 1);
  const start = count === 0 ? Number(first) : Number(first) - 1;
  return { start, end: start + count };
}

/** The hunks of a unified diff of one file. A diff that was cut has none for its end. */
export function hunksIn(diff: string): Hunk[] {
  // Not `^`, which also is after other separators of lines, in a line of the diff.
  return diff.split(/(?<=\n)(?=@@ )/u).flatMap((text) => {
    const header = HEADER.exec(text);
    if (header === null) return [];
    const hunk = { text, old: rangeOf(header[1], header[2]), now: rangeOf(header[3], header[4]) };
    return isWhole(hunk) ? [hunk] : [];
  });
}

function isWhole({ text, old, now }: Hunk): boolean {
  const signs = text.split('\n').map((line) => line.charAt(0));
  const countOf = (other: string): number => signs.slice(1).filter((sign) => sign === ' ' || sign === other).length;
  return countOf('-') === old.end - old.start && countOf('+') === now.end - now.start;
}

const linesOf = (text: string): string[] => text.split(/(?<=\n)/u);

/** The old text with some hunks of its difference to the new one. */
export function takeHunks(old: string, now: string, hunks: readonly Hunk[]): string {
  const [before, after] = [linesOf(old), linesOf(now)];
  const taken: string[] = [];
  let position = 0;
  for (const hunk of hunks.toSorted((one, other) => one.old.start - other.old.start)) {
    taken.push(...before.slice(position, hunk.old.start), ...after.slice(hunk.now.start, hunk.now.end));
    position = hunk.old.end;
  }
  return [...taken, ...before.slice(position)].join('');
}
