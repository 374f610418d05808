/** How the output of a test runner, a compiler or a linter is read. Pure. */
export interface RunnerOutput {
  readonly name: string;
  /** Whether a text has output of it. Checked first, so one expression of lines that nothing else prints. */
  readonly sign: RegExp;
  /** The lines without what passed, repetitions, and the code of others. Lines that it does not know stay. */
  readonly condense: (lines: readonly string[]) => readonly string[];
}

/** A stack frame of installed or built-in code. */
export const FOREIGN_FRAME =
  /node_modules[/\\]|\bnode:internal\/|\(node:|\/rustc\/|\/\.cargo\/registry\/|\/rustlib\/|site-packages\/|\/src\/(?:runtime|testing)\/\w+\.go|\/pkg\/mod\//u;

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
