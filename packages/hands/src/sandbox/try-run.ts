import { spawn } from 'node:child_process';
import { closedStdio } from '../process/hardening.ts';

/** The outcome of a test run. */
export interface TryRunResult {
  readonly worked: boolean;
  /** The first line of stderr, or why the program did not start. */
  readonly message: string;
}

/** Maximum milliseconds of a test run: a sandbox that takes longer to start is unusable. */
const TRIAL_MS = 10_000;
/** Characters of stderr to keep. Only the first line is shown. */
const MESSAGE_CHARACTERS = 1_000;

/**
 * Runs a program to check whether it works on this machine.
 *
 * @param handles file descriptors that it inherits, starting at 3
 */
export function tryRun(program: string, args: readonly string[], cwd = '/', handles: readonly number[] = []): Promise<TryRunResult> {
  const { promise, resolve } = Promise.withResolvers<TryRunResult>();
  const child = spawn(program, args, {
    cwd,
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
    env: { PATH: '/usr/bin:/bin' },
    stdio: closedStdio(['ignore', 'ignore', 'pipe', ...handles]),
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < MESSAGE_CHARACTERS) said += chunk.toString();
  });
  child.once('error', ({ message }) => resolve({ worked: false, message }));
  child.once('close', (code) => resolve({ worked: code === 0, message: said.trim().split('\n')[0] ?? '' }));
  return promise;
}
