import type { Progress } from '@synapse/protocol';
import { displayText } from '../../workspace/byte-name.ts';

/** Minimum milliseconds between progress messages: ten per second are more than users read, and each renews the deadline. */
const PROGRESS_MS = 100;
const MAX_MESSAGE = 500;

/** Wraps a progress listener with a rate limit and bounded messages. */
export function calm(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ message, progress, total }) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    tell({
      ...(message === undefined ? {} : { message: displayText(message.slice(0, MAX_MESSAGE)) }),
      ...(Number.isFinite(progress) ? { progress } : {}),
      ...(Number.isFinite(total) ? { total } : {}),
    });
  };
}
