import { spawn } from 'node:child_process';
import { closedStdio } from '../process/inherited-descriptors.ts';

/** How it went. */
export interface Attempt {
  readonly worked: boolean;
  /** The first line of what it said where it failed. */
  readonly message: string;
}

/** Longer is no sandbox anybody would wait for. */
const TRIAL_MS = 10_000;
/** Nobody reads more of what one says. */
const MESSAGE_CHARACTERS = 1_000;

/**
 * Tries whether something works here, by running it.
 *
 * @param handles descriptors that it inherits from 3 on
 */
export function attempt(program: string, args: readonly string[], cwd = '/', handles: readonly number[] = []): Promise<Attempt> {
  const { promise, resolve } = Promise.withResolvers<Attempt>();
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
