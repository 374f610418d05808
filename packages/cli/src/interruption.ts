import { ENTERED_BY_VARIABLE } from './branch/branch-variable.ts';

/** 128 plus the signal's number, as in shells. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Milliseconds in which a second signal counts as a repetition: a terminal and a parent may both send one. */
const ECHO_MS = 1_000;

/** Milliseconds between looks at the process that entered a branch for this one. */
const LOOK_MS = 250;

/** Whether and how the process was asked to end. */
export interface Interruption {
  /** Aborted at the first signal, so that work can end cleanly. */
  readonly signal: AbortSignal;
  /** The exit code after a signal. */
  exitCode(): number | undefined;
}

/** Calls back once the process that entered a branch for this one has ended. Nothing else that this one starts is bound to it. */
function listenForEnd(environment: NodeJS.ProcessEnv, onEnd: () => void): void {
  const parent = environment[ENTERED_BY_VARIABLE];
  if (parent === undefined) return;
  delete environment[ENTERED_BY_VARIABLE];
  const looking = setInterval(() => {
    if (String(process.ppid) === parent) return;
    clearInterval(looking);
    onEnd();
  }, LOOK_MS);
  looking.unref();
}

/** Listens for signals. The first one aborts the work; a later one ends the process. */
export function listenForInterruption(environment: NodeJS.ProcessEnv = process.env): Interruption {
  const controller = new AbortController();
  let code: number | undefined;
  let first = 0;
  const interrupt = (number: number): void => {
    if (code !== undefined && performance.now() - first > ECHO_MS) process.exit(number);
    if (code !== undefined) return;
    first = performance.now();
    code = number;
    controller.abort();
  };
  for (const [name, number] of Object.entries(SIGNALS)) process.on(name, () => interrupt(number));
  listenForEnd(environment, () => interrupt(SIGNALS.SIGTERM));
  return { signal: controller.signal, exitCode: () => code };
}
