/** A bounded number of places, given in the order they were asked for. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a place; disposing it hands it on. Rejects with the signal's reason where that comes first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#release();
        held = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.delete(wake);
      reject(signal.reason);
    };
    const wake = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    this.#waiting.add(wake);
    signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
