/** 128 and the signal's number, as shells have it. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Milliseconds in which a second signal is the echo of the first: a terminal and a parent may both send it. */
const ECHO_MS = 1_000;

/** Tells whether and how the process was asked to end. */
export interface Interruption {
  /** Aborted at the first signal, so that what runs can end well. */
  readonly signal: AbortSignal;
  /** What to exit with, once a signal came. */
  exitCode(): number | undefined;
}

/** Listens for signals. The first ends what runs; one that comes later, to a person out of patience, ends the process. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  let first = 0;
  for (const [name, number] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      if (code !== undefined && performance.now() - first > ECHO_MS) process.exit(number);
      if (code !== undefined) return;
      first = performance.now();
      code = number;
      controller.abort();
    });
  }
  return { signal: controller.signal, exitCode: () => code };
}
