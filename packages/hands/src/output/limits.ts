/** The limits of an answer. */
export interface Limits {
  /** Maximum bytes of text for the model. Default 40,000. */
  readonly outputBytes: number;
  /** Maximum lines of text for the model. Default 2,000. */
  readonly outputLines: number;
  /** Maximum characters of a line before it is cut. Default 2,000. */
  readonly lineCharacters: number;
}

/**
 * About 3,000 tokens. Of a command's output, a model needs the beginning, the errors with the lines after them, and the end.
 * For a failing test run with 3,000 lines, six times as much output did not help further.
 */
export const COMMAND_LIMITS: Partial<Limits> = { outputBytes: 8_192 };

/** Beyond about 40,000 characters, the surveyed agents show a model only an excerpt. All of them use 2,000 lines. */
export const DEFAULT_LIMITS: Limits = { outputBytes: 40_000, outputLines: 2_000, lineCharacters: 2_000 };
