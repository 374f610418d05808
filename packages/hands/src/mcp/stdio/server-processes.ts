import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { childEnvironment } from '../../process/environment.ts';
import { startGuardian } from '../../process/guardian.ts';
import { closedStdio } from '../../process/inherited-descriptors.ts';
import { parseStat, readProcessFile } from '../../process/process-table.ts';
import { endTree, type TreeRoot } from '../../process/process-tree.ts';
import { startError } from '../../process/start-error.ts';
import { hardenedArgv, MARK_VARIABLE, markValue, TreeMarks } from '../../process/tree-mark.ts';
import type { StdioLaunch } from '../config/server-config.ts';

/** A server is told to end by the end of its input, and has this long for it, in milliseconds. */
const LEAVE_MS = 500;
/** Between TERM and KILL, in milliseconds. */
const GRACE_MS = 500;

/** How a server ended. */
export interface ServerEnd {
  /** In words that go on after its name. */
  readonly reason: string;
  /** Whether it would end the same way again. */
  readonly lasting: boolean;
}

/** A server that runs on this machine. */
export interface ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when its first process has ended. */
  readonly ended: Promise<ServerEnd>;
  /** Ends it with all that it started; settles when nothing of it is left. */
  stop(): Promise<void>;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Starts a program; what cannot be started at all is told in the same words as what then does not run. */
function spawned([program = '', ...words]: readonly string[], options: SpawnOptions, label: string): Spawned {
  let child: ChildProcess;
  try {
    child = spawn(program, words, { ...options, stdio: closedStdio(['pipe', 'pipe', 'pipe']) });
  } catch (error) {
    throw startError(error, label);
  }
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw startError(undefined, label);
  return { child, stdin, stdout, stderr };
}

function ending(code: number | null, signal: NodeJS.Signals | null, program: string): ServerEnd {
  // The shell that sets the limits says it so.
  if (code === 127) return { reason: `could not be started: ${program} is not installed here`, lasting: true };
  if (code === 126) return { reason: `could not be started: ${program} may not be executed`, lasting: true };
  return { reason: code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`, lasting: false };
}

/** Starts servers, each marked so that all of its tree is found again, also when this process is killed. */
export class ServerProcesses implements Disposable {
  readonly #marks = new TreeMarks();
  readonly #parent: NodeJS.ProcessEnv;
  #endGuardian: (() => void) | undefined;

  constructor(parent: NodeJS.ProcessEnv = process.env) {
    this.#parent = parent;
  }

  /** @throws SynapseError where it could not be started */
  async start({ command, arguments: words, environment }: StdioLaunch, cwd: string): Promise<ServerProcess> {
    const program = basename(command);
    const mark = this.#marks.next();
    if (process.platform === 'linux') this.#endGuardian ??= startGuardian(this.#marks);
    const variables = { ...childEnvironment(this.#parent, environment), [MARK_VARIABLE]: markValue(mark, this.#parent[MARK_VARIABLE]) };
    // A session of its own: no terminal to ask or to write on, and a group that can be killed at one stroke.
    const { child, stdin, stdout, stderr } = spawned(hardenedArgv([command, ...words], { mark }), { cwd, env: variables, detached: true }, program);
    const failed = once(child, 'error');
    if (child.pid === undefined) {
      const [error] = (await failed) as [NodeJS.ErrnoException];
      // The shell is there: it is the folder that is not.
      if (error.code === 'ENOENT') throw new SynapseError('not_found', 'The working directory of the server does not exist.', { cause: error });
      throw startError(error, program);
    }
    failed.catch(() => {});
    // What is written to a server that has just ended is lost with it; its end is told by `ended`.
    stdin.on('error', () => {});
    const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
    child.once('exit', (code, signal) => end(ending(code, signal, program)));
    const stat = readProcessFile(child.pid, 'stat');
    const root: TreeRoot = {
      pid: child.pid,
      startTime: stat === undefined ? undefined : parseStat(stat)?.startTime,
      mark,
    };
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      stdin.end();
      const waited = new AbortController();
      await Promise.race([ended, delay(LEAVE_MS, undefined, { signal: waited.signal }).catch(() => {})]);
      waited.abort();
      // Also of a server that ended by itself: it may have left something running.
      await endTree(root, GRACE_MS);
      stdout.destroy();
      stderr.destroy();
    };
    return {
      stdin,
      stdout,
      stderr,
      ended,
      stop: () => (stopping ??= stop()),
    };
  }

  [Symbol.dispose](): void {
    this.#endGuardian?.();
    this.#endGuardian = undefined;
  }
}
