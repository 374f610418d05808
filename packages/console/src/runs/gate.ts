/** Lets calls pass, or holds the next one until the user resumes. */
export class Gate {
  #opened: PromiseWithResolvers<void> | undefined;

  get held(): boolean {
    return this.#opened !== undefined;
  }

  hold(): void {
    this.#opened ??= Promise.withResolvers();
  }

  release(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** Settles when calls may continue, or when the signal is aborted, which the call itself handles. */
  async pass(signal: AbortSignal): Promise<void> {
    while (this.#opened !== undefined && !signal.aborted) {
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve(), { once: true });
      await Promise.race([this.#opened.promise, aborted]);
    }
  }
}
