/** The longest time of a timer, in milliseconds. */
const LONG_MS = 2 ** 31 - 1;

/** Waits for the end of a command that serves until Ctrl+C. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // A waiting promise alone keeps no process alive.
  const alive = setInterval(() => {}, LONG_MS);
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(alive);
}
