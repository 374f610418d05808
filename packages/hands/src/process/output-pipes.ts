import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { closedStdio } from './hardening.ts';
import type { OutputStream } from './processes.ts';

/** Number of pipes created at a time; a command uses two. */
const BATCH = 16;
/** If fewer pipes than this are left, the next ones are created while commands run. */
const LOW = 6;
const MAX_TRIES = 5;
/** Milliseconds until a `mkfifo` that hangs is killed. */
const MAKE_MS = 5_000;

/** One end for a process to write to, and one to read from. */
interface Pipe {
  readonly reader: Readable;
  readonly writer: number;
}

/** Pipes for the output of one process. Disposing closes both ends. */
export interface OutputPipes extends Disposable {
  readonly readers: Readonly<Record<OutputStream, Readable>>;
  readonly writers: Readonly<Record<OutputStream, number>>;
  /** Call this when the process has its copies: open writers here would keep the readers from ending. */
  closeWriters(): void;
}

function outputPipes(stdout: Pipe, stderr: Pipe): OutputPipes {
  let open = true;
  const closeWriters = (): void => {
    // Only once: the descriptors may be reused.
    if (open) for (const { writer } of [stdout, stderr]) closeSync(writer);
    open = false;
  };
  return {
    readers: { stdout: stdout.reader, stderr: stderr.reader },
    writers: { stdout: stdout.writer, stderr: stderr.writer },
    closeWriters,
    [Symbol.dispose]() {
      closeWriters();
      stdout.reader.destroy();
      stderr.reader.destroy();
    },
  };
}

/** Opens the write end through its descriptor as a separate file description, so that it blocks, as programs expect. */
function open(fd: number): Pipe {
  const writer = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY);
  return { writer, reader: new Socket({ fd, readable: true, writable: false }) };
}

/** Not the PATH of the user, which may name folders of the workspace. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin' };

/** Creates named pipes and passes each to a function that opens it. Their names are then removed. */
export async function withPipes<Opened>(count: number, open: (name: string) => Opened): Promise<Opened[]> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-pipes-'));
  try {
    const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    const stdio = closedStdio(['ignore', 'ignore', 'ignore']);
    await once(spawn('mkfifo', ['-m', '600', ...names], { cwd: '/', env: ENVIRONMENT, stdio, timeout: MAKE_MS, killSignal: 'SIGKILL' }), 'close');
    return names.map((name) => open(name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Real pipes. Node creates sockets for a child, which cannot be opened by name: scripts that write to
 * `/dev/stderr`, or `tee` to it, would fail. Node cannot create pipes either, so `mkfifo` does, several
 * at a time. They are opened at once, and their names are removed.
 */
export class PipePool implements Disposable {
  /** Descriptors of the reading ends. */
  #ready: number[] = [];
  #making: Promise<void> | undefined;
  #closed = false;

  /** Returns pipes for one process; undefined if none can be created. */
  async take(): Promise<OutputPipes | undefined> {
    // Other callers may take the pipes that were created for this one.
    for (let tries = 0; this.#ready.length < 2 && tries < MAX_TRIES; tries += 1) await this.#more();
    const [stdout, stderr] = this.#ready.splice(0, 2);
    if (this.#ready.length < LOW) void this.#more();
    return stdout === undefined || stderr === undefined ? undefined : outputPipes(open(stdout), open(stderr));
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const fd of this.#ready.splice(0)) closeSync(fd);
  }

  #more(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    if (process.platform !== 'linux') return;
    try {
      await withPipes(BATCH, (name) => this.#ready.push(openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)));
    } catch {
      // No mkfifo, or no space: commands get Node's sockets, and only the names in /dev do not work.
    } finally {
      if (this.#closed) this[Symbol.dispose]();
    }
  }
}

type Collect = (options: { type: 'minor' }) => void;

let collect: Collect | undefined;

/** Gets V8's garbage collector from a context created while the flag is set. The flag is reset for other code. */
function load(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof found === 'function' ? (options) => void Reflect.apply(found, undefined, [options]) : () => {};
}

/**
 * Frees unused buffers in about a millisecond. Node reads a pipe into a new 64 KiB buffer each time. V8
 * sees only their small handles, so a hundred megabytes of them accumulate before it collects garbage.
 */
function collectGarbage(): void {
  collect ??= load();
  collect({ type: 'minor' });
}

/** Bytes read from one stream before others get their turn: a flood must not delay timers and other calls. */
const TURN_BYTES = 128 * 1024;
/** Bytes of output after which unused buffers are freed. */
const COLLECT_BYTES = 8 * 1024 * 1024;
/** Milliseconds without output after which the output of an ended process is complete. */
const IDLE_MS = 100;
/** Maximum milliseconds to read after the process has ended. A process that still holds the pipe may write forever. */
const DRAIN_MS = 2_000;
/** Event loop turns to read pending output. The second one is for a stream that was paused during the first. */
const READING_TURNS = 2;

/** The output of a running process. */
interface OutputReader extends Disposable {
  /** Waits until both streams end or are silent for a while. */
  drain(signal: AbortSignal): Promise<void>;
}

/**
 * Reads both streams in the order in which the kernel reports data. If writes to both pipes arrive
 * before this process wakes up, their order cannot be determined.
 */
export function readOutput(streams: Readonly<Record<OutputStream, Readable>>, take: (stream: OutputStream, chunk: Buffer) => void): OutputReader {
  let open = 2;
  let uncollected = 0;
  let lastAt = performance.now();
  let chunks = 0;
  const ended = Promise.withResolvers<void>();
  const isOpen = (): boolean => open > 0;
  const attach = (name: OutputStream, stream: Readable): void => {
    let turn = 0;
    stream.on('data', (chunk: Buffer) => {
      lastAt = performance.now();
      chunks += 1;
      turn += chunk.byteLength;
      if (turn >= TURN_BYTES) {
        turn = 0;
        stream.pause();
        setImmediate(() => stream.resume());
      }
      take(name, chunk);
      uncollected += chunk.byteLength;
      if (uncollected >= COLLECT_BYTES) {
        uncollected = 0;
        collectGarbage();
      }
    });
    // A broken pipe is a normal end: the exit code shows the result.
    stream.on('error', () => {});
    stream.once('close', () => {
      open -= 1;
      if (open === 0) ended.resolve();
    });
  };
  attach('stdout', streams.stdout);
  attach('stderr', streams.stderr);
  const quiet = async (signal: AbortSignal, aborted: Promise<void>, deadline: number): Promise<void> => {
    while (isOpen() && !signal.aborted) {
      const wait = Math.min(lastAt + IDLE_MS, deadline) - performance.now();
      if (wait <= 0) return;
      const { promise: idle, resolve: wake } = Promise.withResolvers<void>();
      const timer = setTimeout(wake, wait);
      await Promise.race([ended.promise, idle, aborted]);
      clearTimeout(timer);
    }
  };
  return {
    async drain(signal) {
      const deadline = performance.now() + DRAIN_MS;
      lastAt = performance.now();
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      const onAbort = (): void => resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      // Node keeps a combined signal, and thus the whole call, in memory while it has listeners.
      using _listening = { [Symbol.dispose]: () => signal.removeEventListener('abort', onAbort) };
      let seen: number;
      do {
        await quiet(signal, aborted, deadline);
        seen = chunks;
        // Time during which this process is blocked is not silence: timers run before pending reads.
        for (let turn = 0; turn < READING_TURNS && isOpen(); turn += 1) await turnOfLoop();
      } while (seen !== chunks && isOpen() && !signal.aborted && performance.now() < deadline);
    },
    [Symbol.dispose]() {
      streams.stdout.destroy();
      streams.stderr.destroy();
    },
  };
}
