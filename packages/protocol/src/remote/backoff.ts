const FIRST_MS = 500;
const CAP_MS = 60_000;
/** Milliseconds after which a connection counts as stable. After a stable one, back-off starts from the beginning. */
export const STABLE_MS = 10_000;

/**
 * Returns the milliseconds to wait before an attempt. Full jitter, so that parties that lost one relay do not reconnect together.
 *
 * No wait is longer than the outage so far, so a party that drew two short waits reconnects as soon as the others.
 *
 * @param attempt the number of attempts since the last stable connection
 * @param brokenMs the duration of the outage so far
 * @param jitter from 0 to 1, drawn by the caller
 */
export function backoffMs(attempt: number, brokenMs: number, jitter: number): number {
  // The exponent is capped, so 2^n cannot overflow.
  return Math.round(jitter * Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(attempt, 20), Math.max(FIRST_MS, brokenMs)));
}
