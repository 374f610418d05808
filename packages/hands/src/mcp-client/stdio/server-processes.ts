import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { childEnvironment } from '../../process/environment.ts';
import { startReaper, type Reaper } from '../../process/reaper.ts';
import { closedStdio, hardenedArgv, TAG_VARIABLE, tagValue, ProcessTags } from '../../process/hardening.ts';
import { parseStat, readProcessFile } from '../../process/process-table.ts';
import { endTree, type TreeRoot } from '../../process/process-tree.ts';
import { startError } from '../../process/start-error.ts';
import type { StdioLaunch } from '../config/server-config.ts';

/** Milliseconds for a server to exit after its input is closed. */
const LEAVE_MS = 500;
/** Milliseconds between TERM and KILL. */
const GRACE_MS = 500;

/** How a server ended. */
export interface ServerEnd {
  /** Reason, worded to follow the name. */
  readonly reason: string;
  /** Whether it would end the same way again. */
  readonly lasting: boolean;
}

/** A running server on this machine. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when its first process has ended. */
  readonly ended: Promise<ServerEnd>;
  /** Ends it with its whole process tree; resolves when nothing is left. */
  stop(): Promise<void>;
}

interface Spawned {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Starts a program. A synchronous failure is reported in the same form as an asynchronous one. */
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
  // The exit codes of the shell that sets the limits.
  if (code === 127) return { reason: `could not be started: ${program} is not installed here`, lasting: true };
  if (code === 126) return { reason: `could not be started: ${program} may not be executed`, lasting: true };
  return { reason: code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`, lasting: false };
}

/** Starts servers, each tagged so that its whole process tree is found, even after this process was killed. */
export class ServerProcesses implements Disposable {
  readonly #tags = new ProcessTags();
  readonly #parent: NodeJS.ProcessEnv;
  #reaper: Reaper | undefined;

  constructor(parent: NodeJS.ProcessEnv = process.env) {
    this.#parent = parent;
  }

  /** @throws SynapseError if it cannot be started */
  async start({ command, arguments: words, environment }: StdioLaunch, cwd: string): Promise<ServerProcess> {
    const program = basename(command);
    const tag = this.#tags.next();
    if (process.platform === 'linux') this.#reaper ??= startReaper(this.#tags);
    const variables = { ...childEnvironment(this.#parent, environment), [TAG_VARIABLE]: tagValue(tag, this.#parent[TAG_VARIABLE]) };
    // A separate session: no terminal to read or write, and a group that can be killed as a whole.
    const { child, stdin, stdout, stderr } = spawned(hardenedArgv([command, ...words], { tag }), { cwd, env: variables, detached: true }, program);
    const failed = once(child, 'error');
    if (child.pid === undefined) {
      const [error] = (await failed) as [NodeJS.ErrnoException];
      // The shell exists, so the folder is missing.
      if (error.code === 'ENOENT') throw new SynapseError('not_found', 'The working directory of the server does not exist.', { cause: error });
      throw startError(error, program);
    }
    failed.catch(() => {});
    // Input to a server that just ended is lost; `ended` reports the end.
    stdin.on('error', () => {});
    const { promise: ended, resolve: end } = Promise.withResolvers<ServerEnd>();
    child.once('exit', (code, signal) => end(ending(code, signal, program)));
    const stat = readProcessFile(child.pid, 'stat');
    const root: TreeRoot = {
      pid: child.pid,
      startTime: stat === undefined ? undefined : parseStat(stat)?.startTime,
      tag,
    };
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      stdin.end();
      const waited = new AbortController();
      await Promise.race([ended, delay(LEAVE_MS, undefined, { signal: waited.signal }).catch(() => {})]);
      waited.abort();
      // Also if the server ended on its own: it may have left processes running.
      await endTree(root, GRACE_MS);
      stdout.destroy();
      stderr.destroy();
    };
    return {
      pid: child.pid,
      stdin,
      stdout,
      stderr,
      ended,
      stop: () => (stopping ??= stop()),
    };
  }

  [Symbol.dispose](): void {
    this.#reaper?.[Symbol.dispose]();
    this.#reaper = undefined;
  }
}
