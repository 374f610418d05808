import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { SynapseError, isSynapseError, type ErrorCode } from '@synapse/protocol';
import { closedStdio, hardenedArgv, type Hardening, type ProcessTag } from './hardening.ts';
import { ended, endTree, runningTree, type TreeRoot } from './process-tree.ts';
import { isNamespaceInit, markPids, parseStat, readProcessFile } from './process-table.ts';
import type { InheritedHandle, OutputStream, ProcessOutcome, RunningTree } from './processes.ts';
import { readOutput, type OutputPipes } from './output-pipes.ts';
import { startError } from './start-error.ts';

/** Milliseconds between TERM and KILL. Short for a cancellation, whose caller waits; longer for a time-out, to clean up. */
const CANCEL_GRACE_MS = 200;
const GRACE_MS: Partial<Record<ErrorCode, number>> = {
  timeout: 1_000,
  // The command exhausts the machine's resources, and every moment makes it worse.
  unavailable: 0,
};

/** A process that has its slot. */
export interface ProcessStart {
  readonly argv: readonly [string, ...string[]];
  /** A path to the working directory, through its handle. */
  readonly cwd: string;
  readonly handles: readonly InheritedHandle[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly tag: ProcessTag;
  /** Undefined to run it unhardened. */
  readonly hardening: Omit<Hardening, 'tag'> | undefined;
  /** See {@link TreeRoot}. */
  readonly endsAllBy: NodeJS.Signals | undefined;
  /** Pipes for its output. Default: sockets that Node creates. */
  readonly pipes: OutputPipes | undefined;
  readonly onOutput: (stream: OutputStream, chunk: Buffer) => void;
  readonly onStart: ((tree: RunningTree) => void) | undefined;
  /** The input of the process. Default: see `onInput`. */
  readonly input: number | undefined;
  /** Called when the process is to outlive this one. */
  readonly onTransfer: (() => void) | undefined;
  /** Undefined for no input. */
  readonly onInput: ((input: Writable) => void) | undefined;
  readonly signal: AbortSignal;
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The signals that end a process here, by the code with which a shell or a sandbox tells that one ended its command: 128 and its number. */
const ENDED_BY: Readonly<Record<number, NodeJS.Signals>> = { 137: 'SIGKILL', 143: 'SIGTERM' };

/** How a process ended that was ended here. Whether the signal reached it or its command first does not show. */
export function endedBy({ exitCode, signal }: Exit): Exit {
  const by = exitCode === null ? undefined : ENDED_BY[exitCode];
  return by === undefined ? { exitCode, signal } : { exitCode: null, signal: by };
}

function assertFolder(cwd: string): void {
  // A deleted folder that is still open has no links left; errors of a process in it would be confusing.
  if (statSync(cwd, { throwIfNoEntry: false })?.nlink !== 0) return;
  throw new SynapseError('not_found', 'The working directory was deleted.', { hint: 'Name a folder that exists as cwd.' });
}

interface Started {
  readonly child: ChildProcess;
  readonly streams: Readonly<Record<OutputStream, Readable>>;
}

function start({ argv, cwd, handles = [], environment, hardening, tag, pipes, onInput, input: given }: ProcessStart): Started {
  const [program, ...args] = hardening === undefined ? argv : hardenedArgv(argv, { tag, ...hardening });
  // A separate session: it has no terminal for prompts or output, and its group can be killed at once.
  const options = { cwd, env: { ...environment }, detached: true };
  const input = given ?? (onInput === undefined ? 'ignore' : 'pipe');
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

/** Whether a process ended or is the first one of a sandbox, which ends just after the command. Such a process was not left running. */
function endsByItself(pid: number): boolean {
  const status = readProcessFile(pid, 'status');
  return status === undefined || isNamespaceInit(status);
}

function startIn(request: ProcessStart): Started {
  try {
    assertFolder(request.cwd);
    return start(request);
  } catch (error) {
    throw startError(error, basename(request.argv[0]));
  }
}

function giveInput({ stdin }: ChildProcess, { onInput }: ProcessStart): void {
  if (stdin === null) return;
  // The process closed its input or has ended. Its end is awaited elsewhere.
  stdin.on('error', () => {});
  onInput?.(stdin);
}

function rootOf(pid: number, { tag, endsAllBy }: ProcessStart): TreeRoot {
  const stat = readProcessFile(pid, 'stat');
  return { pid, startTime: stat === undefined ? undefined : parseStat(stat)?.startTime, tag, endsAllBy };
}

/** Hands out a process that runs: to list what it started, to let go of it, or to have it outlive this one. */
function announce(root: TreeRoot, { onStart, onTransfer }: ProcessStart, letGo: () => void): void {
  const transfer = onTransfer === undefined ? {} : { transferOwnership: onTransfer };
  onStart?.({ root, list: () => runningTree(root), letGo, ...transfer });
}

/** Starts a process, and waits for its end, its output, and the processes it started. */
export async function runProcess(request: ProcessStart): Promise<ProcessOutcome> {
  const startedAt = performance.now();
  // Only a hardened process is searched for what it left.
  const before = request.hardening === undefined ? undefined : markPids();
  const program = basename(request.argv[0]);
  const { child, streams } = startIn(request);
  giveInput(child, request);
  const exited = Promise.withResolvers<Exit>();
  child.once('error', (error) => exited.reject(startError(error, program)));
  child.once('exit', (exitCode, signal) => exited.resolve({ exitCode, signal }));
  // If it could not start, 'error' comes next and there is nothing else to do.
  if (child.pid === undefined)
    throw await exited.promise.then(
      () => startError(undefined, program),
      (error: unknown) => error,
    );
  const root = rootOf(child.pid, request);
  const letGo = (): void => {
    streams.stdout.destroy();
    streams.stderr.destroy();
    child.removeAllListeners();
    child.unref();
  };
  announce(root, request, letGo);

  const broken = new AbortController();
  const stop = AbortSignal.any([request.signal, broken.signal]);
  using output = readOutput(streams, (stream, chunk) => {
    if (broken.signal.aborted) return;
    try {
      request.onOutput(stream, chunk);
    } catch (error) {
      // If it were rethrown here, it would end this process and not the command.
      broken.abort(error);
    }
  });

  let ending: Promise<number> | undefined;
  const onStop = (): void => {
    ending = endTree(root, graceMs(stop));
    // If the first process itself survives KILL, it is not waited for.
    void ending.then(() => setImmediate(() => exited.resolve({ exitCode: null, signal: 'SIGKILL' })));
  };
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop, { once: true });

  const exit = await exited.promise;
  const endedAt = performance.now();
  const aborted = ending !== undefined;
  if (!aborted) await output.drain(stop);
  const left = aborted || before === undefined ? [] : runningTree(root, before);
  const leftRunning = left.filter(({ pid }) => !endsByItself(pid)).length;
  // When the first process of a namespace ends, the kernel ends all others.
  if (leftRunning > 0 || !(await ended(left, CANCEL_GRACE_MS))) ending ??= endTree(root, CANCEL_GRACE_MS, left);
  const survivors = (await ending) ?? 0;
  stop.removeEventListener('abort', onStop);
  if (aborted) await output.drain(AbortSignal.timeout(CANCEL_GRACE_MS));
  if (broken.signal.aborted) throw broken.signal.reason;
  return { ...(aborted ? endedBy(exit) : exit), aborted, durationMs: endedAt - startedAt, leftRunning, survivors, sandbox: 'none' };
}
