import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { closedStdio } from './inherited-descriptors.ts';
import type { OutputStream } from './processes.ts';

/** Number of pipes created at a time; a command uses two. */
const BATCH = 16;
/** If fewer pipes than this are left, the next ones are created while commands run. */
const LOW = 6;
const MAX_TRIES = 5;

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

/** Creates named pipes and passes each to a function that opens it. Their names are then removed. */
export async function withPipes<Opened>(count: number, open: (name: string) => Opened): Promise<Opened[]> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-pipes-'));
  try {
    const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    await once(spawn('mkfifo', ['-m', '600', ...names], { cwd: '/', stdio: closedStdio(['ignore', 'ignore', 'ignore']) }), 'close');
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
