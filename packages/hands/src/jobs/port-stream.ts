import { spawn, type ChildProcess } from 'node:child_process';
import { Duplex, type Readable, type Writable } from 'node:stream';

/** A command line that connects its stdin and stdout to a port of the network that it inherits. See `forward.pl`. */
interface PortProgram {
  readonly program: string;
  readonly words: readonly string[];
  /** The descriptor of the network. */
  readonly network: number;
}

/**
 * A connection to a port of a job. Each direction ends on its own. It is destroyed with an error if the other side breaks it, and breaks there
 * if it is destroyed here before both have ended.
 */
export class PortStream extends Duplex {
  readonly #child: ChildProcess;
  readonly #output: Readable;
  readonly #input: Writable;
  /** The port has ended its output in order. */
  #isEnded = false;
  #hasPushedEnd = false;
  #onFinal: (() => void) | undefined;

  constructor({ program, words, network }: PortProgram) {
    super({ allowHalfOpen: true });
    this.#child = spawn(program, [...words], { cwd: '/', env: { PERL_BADLANG: '0' }, stdio: ['pipe', 'pipe', 'pipe', network] });
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) throw new TypeError('The program has no pipes.');
    [this.#input, this.#output] = [stdin, stdout];
    stdout.on('data', (data: Buffer) => !this.push(data) && stdout.pause());
    stdout.on('end', () => this.#tellEnd());
    stderr.on('data', (said: Buffer) => {
      this.#isEnded ||= said.includes('.');
      this.#tellEnd();
    });
    // The job does not read on; its answer may still come. The end of the program shows what else breaks.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
    this.#child.on('error', (error) => this.destroy(error));
    this.#child.on('close', () => this.#over());
  }

  /** Tells the end of the output, once all of it was told. */
  #tellEnd(): void {
    if (!this.#isEnded || !this.#output.readableEnded || this.#hasPushedEnd) return;
    this.#hasPushedEnd = true;
    this.push(null);
  }

  #over(): void {
    if (!this.#hasPushedEnd) return void this.destroy(new Error('The connection to the port broke.'));
    if (this.#onFinal !== undefined) return this.#onFinal();
    // Nothing is taken any more. What was told before must still be read.
    if (this.readableEnded) this.destroy();
    else this.once('end', () => this.destroy());
  }

  override _read(): void {
    this.#output.resume();
  }

  override _write(data: Buffer, _encoding: BufferEncoding, taken: (error?: Error | null) => void): void {
    // Without an error: a job that does not read on may still answer.
    if (this.#input.writable) this.#input.write(data, () => taken());
  }

  override _final(taken: () => void): void {
    this.#onFinal = taken;
    this.#input.end();
    if (this.#child.exitCode !== null) taken();
  }

  override _destroy(error: Error | null, taken: (error?: Error | null) => void): void {
    this.#child.kill('SIGKILL');
    taken(error);
  }
}
