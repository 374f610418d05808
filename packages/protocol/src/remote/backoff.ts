const FIRST_MS = 500;
const CAP_MS = 60_000;
/** A connection that held for so long was a good one: the next attempt starts from the beginning. */
export const STABLE_MS = 10_000;

/**
 * How long to wait before an attempt: full jitter, so that a thousand parties that lost one relay do not return together.
 *
 * @param attempt from 0, the attempts since the last stable connection
 * @param jitter from 0 to 1, drawn by the caller
 */
export function backoffMs(attempt: number, jitter: number): number {
  // 2^n overflows nothing: the exponent is capped before it is used.
  return Math.round(jitter * Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(attempt, 20)));
}
