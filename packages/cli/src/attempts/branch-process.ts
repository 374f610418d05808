import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { SynapseError } from '@synapse/protocol';
import { BRANCH_VARIABLE } from '../branch/branch-variable.ts';
import { holdNamed } from '../branch/enter-branch.ts';

/** This program in a branch. */
export interface BranchProcess {
  /** Real path of the workspace. */
  readonly root: string;
  /** The name of the branch. */
  readonly branch: string;
  /** The words of the command line. */
  readonly words: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly onLine: (line: string) => void;
  readonly onError: (line: string) => void;
  /** Closes stdin of the process, or sends it SIGTERM. Then it is waited for. */
  readonly signal: AbortSignal;
  readonly end: 'close' | 'terminate';
}

/** How a process ended. */
interface Ended {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

/** Runs this program again, in a branch. */
export async function runProcess({ root, branch, words, environment, onLine, onError, signal, end }: BranchProcess): Promise<Ended> {
  const [, file] = process.argv;
  if (file === undefined) throw new SynapseError('internal', 'The program of this process is not known.');
  // For each process anew: what held the branch for the one before may have been killed.
  using held = await holdNamed(branch, root, signal);
  const [program, ...rest] = held.enter([process.execPath, ...process.execArgv, file, ...words], process.cwd());
  const child = spawn(program, rest, {
    env: { ...process.env, ...environment, [BRANCH_VARIABLE]: branch },
    // The branch stays mounted as long as the process runs, even if this one is killed.
    stdio: ['pipe', 'pipe', 'pipe', held.descriptor],
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new SynapseError('internal', 'The process of an attempt has no pipes.');
  stdin.on('error', () => {
    // It has ended.
  });
  const stop = (): void => void (end === 'close' ? stdin.end() : child.kill('SIGTERM'));
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
  for await (const line of createInterface({ input: from, crlfDelay: Infinity })) take(line);
}
