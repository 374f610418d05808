import { toSynapseError } from '@synapse/protocol';
import { tell } from './tell.ts';

/** A piece of the output of a call, and its offset in bytes of UTF-8. */
interface OutputPiece {
  readonly off: number;
  readonly data: string;
}

const ENCODER = new TextEncoder();

/** The whole output of a call, in order. Pieces may be lost on the way: what is missing is read from the machine, which keeps all of it. */
export class WholeOutput {
  readonly #listener: (output: string) => void;
  readonly #read: (from: number) => Promise<string>;
  #position = 0;
  #hasBegun = false;
  /** Pieces are left out while the machine is read: they would pile up, and are read after it. */
  #reading: Promise<void> | undefined;
  #isBehind = false;
  #isOver = false;

  /** @param read reads the output from an offset to its present end */
  constructor(listener: (output: string) => void, read: (from: number) => Promise<string>) {
    this.#listener = listener;
    this.#read = read;
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
    if (!this.#hasBegun || this.#isOver) return;
    await this.#reading;
    try {
      await this.#catchUp();
    } catch (error) {
      tell(this.#listener, `\n⟨The rest of the output could not be read: ${toSynapseError(error).message}⟩\n`);
    }
  }

  async #catchUp(): Promise<void> {
    try {
      do {
        this.#isBehind = false;
        this.#add(await this.#read(this.#position));
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
