import { SealedLine, type DataFrame, type Device } from '@synapse/protocol/remote';

/** Does work in order: at once if it can, else after the work that takes time. */
class Turns {
  readonly #onFailure: (error: unknown) => void;
  #last: Promise<void> | undefined;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  take<Value>(work: () => Value | Promise<Value>, give: (value: Value) => void): void {
    try {
      const made = this.#last === undefined ? work() : this.#last.then(work);
      if (!(made instanceof Promise)) return give(made);
      const last = made
        .then(give)
        .catch(this.#onFailure)
        .finally(() => {
          if (this.#last === last) this.#last = undefined;
        });
      this.#last = last;
    } catch (error) {
      this.#onFailure(error);
    }
  }

  async done(): Promise<void> {
    await this.#last;
  }
}

/** Seals and opens frames one at a time to keep their order: a cancel must not overtake its call. */
export class SealedFrames {
  readonly #line: SealedLine;
  readonly #sealing: Turns;
  readonly #opening: Turns;

  /** @param identityOf returns the public keys of a paired device by its id */
  constructor(device: Device, inst: string, identityOf: (id: string) => string | undefined, onFailure: (error: unknown) => void) {
    this.#line = new SealedLine(device, inst, identityOf);
    this.#sealing = new Turns(onFailure);
    this.#opening = new Turns(onFailure);
  }

  /** Passes the sealed frame to `take`; drops it if the device is no longer paired. */
  seal(frame: DataFrame, to: string, take: (sealed: DataFrame) => void): void {
    this.#sealing.take(
      () => this.#line.seal(frame, to),
      (sealed) => sealed !== undefined && take(sealed),
    );
  }

  /** Passes the opened frame and its sender to `take`; drops a forged or modified one. */
  open(frame: DataFrame, take: (opened: DataFrame, from: string) => void): void {
    this.#opening.take(
      () => this.#line.open(frame),
      (opened) => opened !== undefined && take(opened.frame, opened.from),
    );
  }

  /** Settles when all frames are sealed. */
  async sealed(): Promise<void> {
    await this.#sealing.done();
  }
}
