import { SynapseError, toSynapseError } from '@synapse/protocol';
import { tell } from './tell.ts';

/** A piece of the output of a call, and its offset in bytes of UTF-8. */
interface OutputPiece {
  readonly off: number;
  readonly data: string;
}

/** Reads the output from an offset to its present end, until the signal aborts. Reports each part of the answer. */
type ReadOutput = (from: number, onHeard: () => void, signal: AbortSignal) => Promise<string>;

const ENCODER = new TextEncoder();

/** The whole output of a call, in order. Pieces may be lost on the way: what is missing is read from the machine, which keeps all of it. */
export class WholeOutput {
  readonly #listener: (output: string) => void;
  readonly #read: ReadOutput;
  readonly #silenceMs: number;
  #position = 0;
  #hasBegun = false;
  /** Pieces are left out while the machine is read: they would pile up, and are read after it. */
  #reading: Promise<void> | undefined;
  #isBehind = false;
  #isOver = false;
  /** Gives up what is still read. */
  readonly #ending = new AbortController();
  /** Called when a part of an answer arrives. */
  #onHeard = (): void => {};

  /** @param silenceMs milliseconds without an answer after which the rest is given up, once the call has ended */
  constructor(listener: (output: string) => void, read: ReadOutput, silenceMs: number) {
    this.#listener = listener;
    this.#read = read;
    this.#silenceMs = silenceMs;
  }

  take({ off, data }: OutputPiece): void {
    if (data === '') return;
    this.#hasBegun = true;
    if (this.#reading === undefined && off === this.#position) return this.#add(data);
    this.#isBehind ||= off + ENCODER.encode(data).length > this.#position;
    // A failure is reported at the end, which tries again.
    if (this.#isBehind) this.#reading ??= this.#catchUp().catch(() => undefined);
  }

  /** Tells the rest after the end of the call. */
  async finish(signal: AbortSignal | undefined): Promise<void> {
    // What a cancelled call printed last is not worth a wait.
    this.#isOver = signal?.aborted === true;
    try {
      if (!this.#hasBegun || this.#isOver) return;
      await this.#untilSilent(this.#rest(), signal);
    } catch (error) {
      this.#isOver = true;
      if (signal?.aborted === true) return;
      tell(this.#listener, `\n⟨The rest of the output could not be read: ${toSynapseError(error).message}⟩\n`);
    } finally {
      this.#ending.abort();
    }
  }

  async #rest(): Promise<void> {
    await this.#reading;
    await this.#catchUp();
  }

  /** Waits for work while the machine answers: reads are repeated without end, also to a machine that went away. */
  async #untilSilent(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(new SynapseError('unavailable', 'The machine does not answer.')), this.#silenceMs);
    };
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#onHeard = wait;
    wait();
    try {
      await Promise.race([work, over]);
    } finally {
      this.#onHeard = () => {};
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async #catchUp(): Promise<void> {
    try {
      do {
        this.#isBehind = false;
        this.#add(await this.#read(this.#position, () => this.#onHeard(), this.#ending.signal));
      } while (this.#isBehind && !this.#isOver);
    } finally {
      this.#reading = undefined;
    }
  }

  #add(data: string): void {
    if (data === '' || this.#isOver) return;
    this.#position += ENCODER.encode(data).length;
    tell(this.#listener, data);
  }
}
