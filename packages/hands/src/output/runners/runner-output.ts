/** How the output of a test runner, a compiler or a linter is read. Pure. */
export interface RunnerOutput {
  readonly name: string;
  /** Whether a text has output of it. Checked first, so one expression of lines that nothing else prints. */
  readonly sign: RegExp;
  /**
   * The lines without what passed, repetitions, and the code of others. Lines that it does not know stay. A text can print what looks like
   * a runner: what is left out because it is elsewhere must be there, and no line may take unknown lines after it away.
   */
  readonly condense: (lines: readonly string[]) => readonly string[];
}

/** A stack frame of installed or built-in code. */
export const FOREIGN_FRAME =
  /node_modules[/\\]|\bnode:internal\/|\(node:|\/rustc\/|\/\.cargo\/registry\/|\/rustlib\/|site-packages\/|\/src\/(?:runtime|testing)\/\w+\.go|\/pkg\/mod\//u;

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/** The indexes of lines in excerpts of code that mark a line. A table of numbers is no excerpt: it marks none. */
export function excerptLines(lines: readonly string[], isExcerpt: RegExp, isMark: RegExp): ReadonlySet<number> {
  const found = new Set<number>();
  let block: number[] = [];
  let isMarked = false;
  for (let index = 0; index <= lines.length; index += 1) {
    const line = lines[index];
    if (line !== undefined && isExcerpt.test(line)) {
      block.push(index);
      isMarked ||= isMark.test(line);
      continue;
    }
    if (isMarked) for (const one of block) found.add(one);
    block = [];
    isMarked = false;
  }
  return found;
}
