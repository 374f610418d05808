import { SealedLine, type DataFrame, type Device } from '@synapse/protocol/remote';

/** Seals and opens frames one at a time to keep their order: a cancel must not overtake its call. */
export class SealedFrames {
  readonly #line: SealedLine;
  readonly #onFailure: (error: unknown) => void;
  #sealing = Promise.resolve();
  #opening = Promise.resolve();

  /** @param identityOf returns the public keys of a paired device by its id */
  constructor(device: Device, inst: string, identityOf: (id: string) => string | undefined, onFailure: (error: unknown) => void) {
    this.#line = new SealedLine(device, inst, identityOf);
    this.#onFailure = onFailure;
  }

  /** Passes the sealed frame to `take`; drops it if the device is no longer paired. */
  seal(frame: DataFrame, to: string, take: (sealed: DataFrame) => void): void {
    const work = async (): Promise<void> => {
      const sealed = await this.#line.seal(frame, to);
      if (sealed !== undefined) take(sealed);
    };
    this.#sealing = this.#sealing.then(work).catch(this.#onFailure);
  }

  /** Passes the opened frame and its sender to `take`; drops a forged or modified one. */
  open(frame: DataFrame, take: (opened: DataFrame, from: string) => void): void {
    const work = async (): Promise<void> => {
      const opened = await this.#line.open(frame);
      if (opened !== undefined) take(opened.frame, opened.from);
    };
    this.#opening = this.#opening.then(work).catch(this.#onFailure);
  }
}
