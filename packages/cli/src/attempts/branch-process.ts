import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { SynapseError } from '@synapse/protocol';
import { ATTEMPT_VARIABLE, BRANCH_VARIABLE } from '../branch/branch-variable.ts';
import { holdNamed } from '../branch/enter-branch.ts';
import { boundedLines } from './bounded-lines.ts';
import { endProcess } from './end-process.ts';

/** A process of an attempt. */
export interface BranchProcess {
  /** Real path of the workspace. */
  readonly root: string;
  /** The name of the branch. */
  readonly branch: string;
  /** What it does: a value of {@link ATTEMPT_VARIABLE}. */
  readonly attempt: string;
  readonly onLine: (line: string) => void;
  readonly onError: (line: string) => void;
  /** Closes stdin of the process, which ends it, as the death of this one does. Then it is waited for, and killed if it does not end. */
  readonly signal: AbortSignal;
}

/** How a process ended. */
interface Ended {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

/** Runs the command line of this process again, in the branch of an attempt. */
export async function runProcess({ root, branch, attempt, onLine, onError, signal }: BranchProcess): Promise<Ended> {
  if (process.argv[1] === undefined) throw new SynapseError('internal', 'The program of this process is not known.');
  // For each process anew: what held the branch for the one before may have been killed.
  using held = await holdNamed(branch, root, signal);
  const [program, ...rest] = held.enter([process.execPath, ...process.execArgv, ...process.argv.slice(1)], process.cwd());
  const child = spawn(program, rest, {
    env: { ...process.env, ...held.environment, [ATTEMPT_VARIABLE]: attempt, [BRANCH_VARIABLE]: branch },
    // The branch stays mounted as long as the process runs, even if this one is killed.
    stdio: ['pipe', 'pipe', 'pipe', held.descriptor],
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new SynapseError('internal', 'The process of an attempt has no pipes.');
  stdin.on('error', () => {
    // It has ended.
  });
  using ending = new DisposableStack();
  const stop = (): void => void ending.use(endProcess({ stdin, kill: (by) => child.kill(by) }));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const [[code, by]] = await Promise.all([
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      readLines(stdout, onLine),
      readLines(stderr, onError),
    ]);
    return { code, by };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readLines(from: Readable, take: (line: string) => void): Promise<void> {
  for await (const line of boundedLines(from.setEncoding('utf8'))) take(line);
}
