import type { ModelFailure, ModelFailureKind } from './model-failure.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** Longest wait that a server may request; for a longer one the run pauses. */
const LONGEST_ASKED_MS = 10 * 60_000;

/** Retries by kind of failure. */
const RETRIES: Record<ModelFailureKind, number> = { busy: 6, network: 3, context: 0, key: 0, 'no-model': 0, rejected: 0 };

/**
 * Milliseconds to wait before a retry; undefined for no retry. Full jitter, so that clients that failed together do not
 * retry together.
 *
 * @param attempt the number of earlier retries
 * @param random from 0 to 1
 */
export function retryDelay({ kind, retryAfterMs }: ModelFailure, attempt: number, random: number): number | undefined {
  if (attempt >= RETRIES[kind]) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs > LONGEST_ASKED_MS ? undefined : retryAfterMs;
  return Math.round(Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt) * random);
}
