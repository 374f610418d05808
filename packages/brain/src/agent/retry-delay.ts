import type { ModelFailure, ModelFailureKind } from './model-failure.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** A server that asks for more is one to come back to by hand. */
const LONGEST_ASKED_MS = 10 * 60_000;

/** How often a request that failed in this way is repeated. */
const RETRIES: Record<ModelFailureKind, number> = { busy: 6, network: 3, context: 0, key: 0, 'no-model': 0, rejected: 0 };

/**
 * Milliseconds to wait before a request is repeated; undefined where it is not. Full jitter: clients that were turned
 * away together do not come back together.
 *
 * @param attempt how often it was repeated before
 * @param random from 0 to 1
 */
export function retryDelay({ kind, retryAfterMs }: ModelFailure, attempt: number, random: number): number | undefined {
  if (attempt >= RETRIES[kind]) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs > LONGEST_ASKED_MS ? undefined : retryAfterMs;
  return Math.round(Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt) * random);
}
