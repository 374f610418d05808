import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { SynapseError, isSynapseError, type ErrorCode } from '@synapse/protocol';
import { closedStdio } from './inherited-descriptors.ts';
import { ended, endTree, runningTree, type TreeRoot } from './process-tree.ts';
import { isNamespaceInit, parseStat, readProcessFile } from './process-table.ts';
import type { OutputPipes } from './pipe-pool.ts';
import type { InheritedHandle, OutputStream, ProcessOutcome, RunningTree } from './processes.ts';
import { readOutput } from './read-output.ts';
import { startError } from './start-error.ts';
import { hardenedArgv, type Hardening, type TreeMark } from './tree-mark.ts';

/** Between TERM and KILL, in milliseconds: who cancels waits for it, a time-out has time to clean up. */
const CANCEL_GRACE_MS = 200;
const GRACE_MS: Partial<Record<ErrorCode, number>> = {
  timeout: 1_000,
  // It uses up what the machine has: each moment more makes it worse.
  unavailable: 0,
};

/** A process whose turn has come. */
export interface ProcessStart {
  readonly argv: readonly [string, ...string[]];
  /** A path to the working directory, through its handle. */
  readonly cwd: string;
  readonly handles: readonly InheritedHandle[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: TreeMark;
  /** Undefined where it is to run as it is. */
  readonly hardening: Omit<Hardening, 'mark'> | undefined;
  /** Where it writes. Default: sockets that Node makes. */
  readonly pipes: OutputPipes | undefined;
  readonly onOutput: (stream: OutputStream, chunk: Buffer) => void;
  readonly onStart: ((tree: RunningTree) => void) | undefined;
  /** Undefined gives it no input. */
  readonly onInput: ((input: Writable) => void) | undefined;
  readonly signal: AbortSignal;
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

function assertFolder(cwd: string): void {
  // A folder that was deleted while it is held open has no name and no links left; a process in it would only confuse.
  if (statSync(cwd, { throwIfNoEntry: false })?.nlink !== 0) return;
  throw new SynapseError('not_found', 'The working directory was deleted.', { hint: 'Name a folder that exists as cwd.' });
}

interface Started {
  readonly child: ChildProcess;
  readonly streams: Readonly<Record<OutputStream, Readable>>;
}

function start({ argv, cwd, handles = [], environment, hardening, mark, pipes, onInput }: ProcessStart): Started {
  const [program, ...args] = hardening === undefined ? argv : hardenedArgv(argv, { mark, ...hardening });
  // A session of its own: no terminal to ask or to write on, and a group that can be killed at one stroke.
  const options = { cwd, env: { ...environment }, detached: true };
  const input = onInput === undefined ? 'ignore' : 'pipe';
  const inherited = handles.map(({ descriptor }) => descriptor ?? ('ignore' as const));
  if (pipes === undefined) {
    const child = spawn(program, args, { ...options, stdio: closedStdio([input, 'pipe', 'pipe', ...inherited]) });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw startError(undefined, basename(program));
    return { child, streams: { stdout, stderr } };
  }
  const child = spawn(program, args, { ...options, stdio: closedStdio([input, pipes.writers.stdout, pipes.writers.stderr, ...inherited]) });
  pipes.closeWriters();
  return { child, streams: pipes.readers };
}

function graceMs({ reason }: AbortSignal): number {
  return (isSynapseError(reason) ? GRACE_MS[reason.code] : undefined) ?? CANCEL_GRACE_MS;
}

/** The first process of a sandbox, which reports the end of the command and is a moment behind it. Nobody left it running. */
function endsByItself(pid: number): boolean {
  const status = readProcessFile(pid, 'status');
  return status === undefined || isNamespaceInit(status);
}

/** Starts a process, and waits until it, what it said, and what it started have come to an end. */
export async function runProcess(request: ProcessStart): Promise<ProcessOutcome> {
  const startedAt = performance.now();
  const program = basename(request.argv[0]);
  let started: Started;
  try {
    assertFolder(request.cwd);
    started = start(request);
  } catch (error) {
    throw startError(error, program);
  }
  const { child, streams } = started;
  if (child.stdin !== null) {
    // Who no longer reads has ended, and its end is waited for below.
    child.stdin.on('error', () => {});
    request.onInput?.(child.stdin);
  }
  const exited = Promise.withResolvers<Exit>();
  child.once('error', (error) => exited.reject(startError(error, program)));
  child.once('exit', (exitCode, signal) => exited.resolve({ exitCode, signal }));
  // Where it could not start, 'error' comes next and there is nothing else to do.
  if (child.pid === undefined)
    throw await exited.promise.then(
      () => startError(undefined, program),
      (error: unknown) => error,
    );
  const stat = readProcessFile(child.pid, 'stat');
  const root: TreeRoot = {
    pid: child.pid,
    startTime: stat === undefined ? undefined : parseStat(stat)?.startTime,
    mark: request.mark,
  };
  request.onStart?.({ root, list: () => runningTree(root) });

  const broken = new AbortController();
  const stop = AbortSignal.any([request.signal, broken.signal]);
  using output = readOutput(streams, (stream, chunk) => {
    if (broken.signal.aborted) return;
    try {
      request.onOutput(stream, chunk);
    } catch (error) {
      // Thrown on, it would end this process and not the command.
      broken.abort(error);
    }
  });

  let ending: Promise<number> | undefined;
  const onStop = (): void => {
    ending = endTree(root, graceMs(stop));
    // Should the first process itself withstand KILL, nobody waits for it.
    void ending.then(() => setImmediate(() => exited.resolve({ exitCode: null, signal: 'SIGKILL' })));
  };
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop, { once: true });

  const exit = await exited.promise;
  const endedAt = performance.now();
  const aborted = ending !== undefined;
  if (!aborted) await output.drain(stop);
  const left = aborted || request.hardening === undefined ? [] : runningTree(root);
  const leftRunning = left.filter(({ pid }) => !endsByItself(pid)).length;
  // With the first process of a namespace the kernel ends all others.
  if (leftRunning > 0 || !(await ended(left, CANCEL_GRACE_MS))) ending ??= endTree(root, CANCEL_GRACE_MS, left);
  const survivors = (await ending) ?? 0;
  stop.removeEventListener('abort', onStop);
  if (aborted) await output.drain(AbortSignal.timeout(CANCEL_GRACE_MS));
  if (broken.signal.aborted) throw broken.signal.reason;
  return { ...exit, aborted, durationMs: endedAt - startedAt, leftRunning, survivors, sandbox: 'none' };
}
