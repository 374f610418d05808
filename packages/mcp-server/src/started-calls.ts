import type { RequestId } from '@modelcontextprotocol/server';

/** A call that already runs when the SDK receives it. */
export interface StartedCall {
  readonly answering: Promise<object>;
  readonly abort: () => void;
  /** Called when the SDK takes over. */
  readonly onTaken: () => void;
}

/** The calls of a session that were started before the SDK received them. */
export class StartedCalls {
  readonly #calls = new Map<RequestId, StartedCall>();

  /** @returns a function that removes the call */
  add(id: RequestId, call: StartedCall): () => void {
    this.#calls.set(id, call);
    return () => {
      if (this.#calls.get(id) === call) this.#calls.delete(id);
    };
  }

  /** Cancels a call that the SDK has not taken over. */
  cancel(id: RequestId): void {
    this.#calls.get(id)?.abort();
  }

  /**
   * Hands a call over to the SDK, whose signal cancels it from then on; undefined if the call was not started.
   *
   * @param signal of the SDK's request
   */
  take(id: RequestId, signal: AbortSignal): Promise<object> | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    this.#calls.delete(id);
    if (signal.aborted) call.abort();
    else signal.addEventListener('abort', call.abort, { once: true });
    call.onTaken();
    return call.answering;
  }
}
