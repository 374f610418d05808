/** A clock for one end of a connection. */
export interface Pace {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Converts milliseconds of this clock to real milliseconds. */
  readonly wait: (milliseconds: number) => number;
}

/** The real clock. Tests of long silences use a faster one. */
export const REAL_PACE: Pace = { now: Date.now, wait: (milliseconds) => milliseconds };
