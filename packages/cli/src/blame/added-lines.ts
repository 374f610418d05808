/** The beginning of a hunk: `@@ -3,0 +4,2 @@`. */
const HUNK = /^@@ -\d+(?:,\d+)? \+(?<start>\d+)(?:,(?<count>\d+))? @@/u;

/** The numbers of the lines that a diff without context adds, in the new text. */
export function addedLines(patch: string): number[] {
  return patch.split('\n').flatMap((line) => {
    const { start, count = '1' } = HUNK.exec(line)?.groups ?? {};
    return start === undefined ? [] : Array.from({ length: Number(count) }, (_, at) => Number(start) + at);
  });
}

/** A range of commits: what the second one has that the common ancestor of both does not. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** Parses `A..B`, `A..` or a commit, which stands for what it changed. */
export function parseRange(text: string): Range {
  const [from = '', to, ...more] = text.split(/\.{2,3}/u);
  if (more.length > 0) return { from: text, to: 'HEAD' };
  if (to === undefined) return { from: `${from}~1`, to: from };
  return { from: from === '' ? 'HEAD' : from, to: to === '' ? 'HEAD' : to };
}
