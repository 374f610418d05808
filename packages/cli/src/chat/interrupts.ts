/** What a Ctrl-C did. `told`: nothing was stopped, and another one ends. */
export type Interrupted = 'stopped' | 'told' | 'ended';

/** The meaning of Ctrl-C in a chat: once stops the current step, and twice without a line between ends. */
export class Interrupts {
  readonly #end = new AbortController();
  readonly #outside: AbortSignal;
  #step: AbortController | undefined;
  #count = 0;

  /** @param outside aborted when the process should end */
  constructor(outside: AbortSignal) {
    this.#outside = outside;
  }

  /** Aborted when the chat ends. */
  get ending(): AbortSignal {
    return AbortSignal.any([this.#outside, this.#end.signal]);
  }

  /** Begins a step. Returns the signal that stops it. */
  begin(): AbortSignal {
    this.#step = new AbortController();
    return AbortSignal.any([this.ending, this.#step.signal]);
  }

  end(): void {
    this.#step = undefined;
  }

  /** Forgets earlier ones, because the person typed a line. */
  reset(): void {
    this.#count = 0;
  }

  next(): Interrupted {
    this.#count += 1;
    if (this.#count > 1) {
      this.#end.abort();
      return 'ended';
    }
    if (this.#step === undefined) return 'told';
    this.#step.abort();
    return 'stopped';
  }
}
