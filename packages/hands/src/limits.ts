/** Bounds on what one answer may show. */
export interface Limits {
  /** Bytes of text a model gets to read. Default 51,200 (50 KiB). */
  readonly outputBytes: number;
  /** Lines of text a model gets to read. Default 2,000. */
  readonly outputLines: number;
  /** Characters of one line before it is cut. Default 2,000. */
  readonly lineCharacters: number;
}

/** 50 KiB and 2,000 lines are where the surveyed agents agree; more crowds out the model's other context. */
export const DEFAULT_LIMITS: Limits = { outputBytes: 50 * 1024, outputLines: 2_000, lineCharacters: 2_000 };
