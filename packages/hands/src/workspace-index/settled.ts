import type { Stats } from 'node:fs';

/** Milliseconds in which a second change may leave the times of an entry as they are: more than a tick of the kernel's clock. */
const TICK_MS = 30;
/** As above, for file systems that only keep whole seconds. */
const SECOND_TICK_MS = 2_100;

/** Whether any further change of an entry changes its times. */
export function isSettled({ mtimeMs, ctimeMs }: Pick<Stats, 'mtimeMs' | 'ctimeMs'>): boolean {
  const tick = Number.isInteger(ctimeMs / 1_000) ? SECOND_TICK_MS : TICK_MS;
  return Date.now() - Math.max(mtimeMs, ctimeMs) > tick;
}
