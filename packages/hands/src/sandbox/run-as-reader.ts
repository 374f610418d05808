import type { OutputStream, ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';

/** Output is held back up to so many bytes; a command that printed more has done its work. */
const MAX_HELD_BYTES = 1024 * 1024;
/** How programs name the error of a write on a read-only file system. */
const READ_ONLY = /Read-only file system|EROFS/u;

/** Output that is not shown before it is known whether it counts. */
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
    // Its memory may be used again for the next chunk.
    this.#chunks.push([stream, Buffer.from(chunk)]);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_HELD_BYTES) this.release();
  };

  release(): void {
    this.#released = true;
    for (const [stream, chunk] of this.#chunks.splice(0)) this.#take(stream, chunk);
  }

  /** Whether it all is still here, and tells of a write that the file system refused. */
  get wasRefused(): boolean {
    return !this.#released && READ_ONLY.test(Buffer.concat(this.#chunks.map(([, chunk]) => chunk)).toString('latin1'));
  }
}

/** How a command that only reads is run. */
export interface ReaderParts {
  readonly processes: Processes;
  /** Runs it where it can write, its changes judged as those of any command; undefined where it may not be run so. */
  readonly again: Processes | undefined;
}

/**
 * Runs a command on the workspace mounted read-only, without network. One that fails because it wanted to write is run
 * again where it can: it has changed nothing, and what it printed is not shown.
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
