/** Numbers of lines that a diff adds and removes. */
export interface DiffLines {
  readonly added: number;
  readonly removed: number;
}

/** Counts the lines of a diff of one file. */
export function diffLines(diff: string): DiffLines {
  const all = diff.split('\n');
  // The names of the files. Further down, such a line is a line of a file that begins with `--`, as comments of SQL do.
  const lines = all[0]?.startsWith('--- ') === true ? all.slice(2) : all;
  const begin = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: begin('+'), removed: begin('-') };
}
