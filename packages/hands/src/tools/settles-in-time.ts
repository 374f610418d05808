import { setTimeout as delay } from 'node:timers/promises';

/**
 * Milliseconds between two looks at a running command. A command that is silent and refused by the network at two looks in a row
 * retries forever, as `until curl …` does; a package manager has given up by then. One that waits for a pipe at both waits for nothing.
 */
export const LOOK_MS = 5_000;

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

/** How a wait for a command ended: it settled, its time is over, or waiting is pointless, with the reason. */
export type Settling = 'settled' | 'late' | { readonly vain: string };

/** Waits until a promise settles, the time is over, or waiting for it is pointless. */
export async function settlesInTime(work: Promise<unknown>, milliseconds: number, whyInVain: () => string | undefined): Promise<Settling> {
  for (let left = milliseconds; left > 0; left -= LOOK_MS) {
    if (await settlesWithin(work, Math.min(left, LOOK_MS))) return 'settled';
    const vain = whyInVain();
    if (vain !== undefined) return { vain };
  }
  return 'late';
}

/** Returns a check for commands that only retry to reach other machines: true from the second look in a row that finds so. */
export function triesInVain(refusedCount: () => number, silentMs: () => number): () => boolean {
  let before = 0;
  return twice(() => {
    const now = refusedCount();
    const again = now > before && silentMs() >= LOOK_MS;
    before = now;
    return again;
  });
}

/** Returns a check that is true from the second look in a row at which another one is. */
export function twice(check: () => boolean): () => boolean {
  let looks = 0;
  return () => {
    looks = check() ? looks + 1 : 0;
    return looks >= 2;
  };
}
