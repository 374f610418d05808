/** 128 plus the signal's number, as in shells. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Milliseconds in which a second signal counts as a repetition: a terminal and a parent may both send one. */
const ECHO_MS = 1_000;

/** Whether and how the process was asked to end. */
export interface Interruption {
  /** Aborted at the first signal, so that work can end cleanly. */
  readonly signal: AbortSignal;
  /** The exit code after a signal. */
  exitCode(): number | undefined;
}

/** Listens for signals. The first one aborts the work; a later one ends the process. */
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
