import type { OutputStream, ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';

/** Maximum bytes of output to hold back. A command that printed more is not run again. */
const MAX_HELD_BYTES = 1024 * 1024;
/** How programs report a write on a read-only file system. */
const READ_ONLY = /Read-only file system|EROFS/u;

/** Output that is held back until it is known whether it counts. */
class HeldOutput {
  readonly #chunks: Array<readonly [OutputStream, Buffer]> = [];
  readonly #take: ProcessRequest['onOutput'];
  #bytes = 0;
  #released = false;

  constructor(take: ProcessRequest['onOutput']) {
    this.#take = take;
  }

  readonly add = (stream: OutputStream, chunk: Buffer): void => {
    if (this.#released) return this.#take(stream, chunk);
    // A copy, because the memory may be reused for the next chunk.
    this.#chunks.push([stream, Buffer.from(chunk)]);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_HELD_BYTES) this.release();
  };

  release(): void {
    this.#released = true;
    for (const [stream, chunk] of this.#chunks.splice(0)) this.#take(stream, chunk);
  }

  /** Whether all output was held back and reports a write on a read-only file system. */
  get wasRefused(): boolean {
    return !this.#released && READ_ONLY.test(Buffer.concat(this.#chunks.map(([, chunk]) => chunk)).toString('latin1'));
  }
}

/** Dependencies of {@link runAsReader}. */
export interface ReaderParts {
  readonly processes: Processes;
  /** Runs the command where it can write, with its changes judged like those of any command; undefined if that is not allowed. */
  readonly again: Processes | undefined;
}

/**
 * Runs a command on the workspace mounted read-only, without network. A command that fails because it tried to write is run
 * again where it can write: the first run changed nothing, and its output is not shown.
 */
export async function runAsReader(request: ProcessRequest, { processes, again }: ReaderParts): Promise<ProcessOutcome> {
  if (again === undefined) return await processes.run({ ...request, readOnly: true });
  const held = new HeldOutput(request.onOutput);
  let outcome: ProcessOutcome;
  try {
    outcome = await processes.run({ ...request, readOnly: true, onOutput: held.add });
  } catch (error) {
    held.release();
    throw error;
  }
  if (outcome.exitCode !== 0 && !outcome.aborted && held.wasRefused) return await again.run(request);
  held.release();
  return outcome;
}
