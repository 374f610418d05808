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

/** Told to the users of each side, where a relay passes on what the pinned keys of the other side did not seal. */
export const NOT_SEALED = {
  toMachine:
    'Ignored a message that no paired device sealed for this machine: of a revoked device, of one with other keys, which must be paired again, or ' +
    'forged by the relay.',
  toBrain:
    'Ignored a message that the paired machine did not seal: it has new keys and must be paired again (synapse pair), or the relay forges messages.',
} as const;

/** Calls `tell` once for each connection. */
export function oncePerConnection(tell: () => void): (conn: number | undefined) => void {
  let told: number | undefined;
  return (conn) => {
    if (told === conn) return;
    told = conn;
    tell();
  };
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

  /**
   * Passes the sealed frame to `take`; drops it if the device is no longer paired.
   *
   * @param appends whether the receiver can read texts that are appended to their frames
   */
  seal(frame: DataFrame, to: string, take: (sealed: DataFrame) => void, appends = false): void {
    this.#sealing.take(
      () => this.#line.seal(frame, to, appends),
      (sealed) => sealed !== undefined && take(sealed),
    );
  }

  /** Passes the opened frame and its sender to `take`; calls `drop` for one that is forged, modified, or sealed with or for another key. */
  open(frame: DataFrame, take: (opened: DataFrame, from: string) => void, drop: () => void): void {
    this.#opening.take(
      () => this.#line.open(frame),
      (opened) => (opened === undefined ? drop() : take(opened.frame, opened.from)),
    );
  }

  /** Settles when all frames are sealed. */
  async sealed(): Promise<void> {
    await this.#sealing.done();
  }
}
