import { setTimeout as delay } from 'node:timers/promises';

/**
 * Milliseconds between two looks at a running command. A command that is silent and refused by the network at two looks in a row
 * retries forever, as `until curl …` does; a package manager has given up by then.
 */
const LOOK_MS = 5_000;

/** Whether a promise settles before the time is over. */
async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = delay(milliseconds, false, { signal: waiting.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}

/** Whether a promise settles before the time is over, or before waiting for it is pointless. */
export async function settlesInTime(work: Promise<unknown>, milliseconds: number, isInVain: () => boolean): Promise<boolean> {
  for (let left = milliseconds; left > 0; left -= LOOK_MS) {
    if (await settlesWithin(work, Math.min(left, LOOK_MS))) return true;
    if (isInVain()) return false;
  }
  return false;
}

/** Returns a check for commands that only retry to reach other machines: true from the second look in a row that finds so. */
export function triesInVain(refusedCount: () => number, silentMs: () => number): () => boolean {
  let before = 0;
  let looks = 0;
  return () => {
    const now = refusedCount();
    looks = now > before && silentMs() >= LOOK_MS ? looks + 1 : 0;
    before = now;
    return looks >= 2;
  };
}
