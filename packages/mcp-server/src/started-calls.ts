import type { RequestId } from '@modelcontextprotocol/server';

/** A call that runs already when the SDK gets to hear of it. */
export interface StartedCall {
  readonly answering: Promise<object>;
  readonly abort: () => void;
  /** Called when the SDK has taken it over. */
  readonly onTaken: () => void;
}

/** The calls of a session that were started before the SDK heard of them. */
export class StartedCalls {
  readonly #calls = new Map<RequestId, StartedCall>();

  /** @returns a function that forgets the call */
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
   * Gives the answer of a call to the SDK, which then cancels it; undefined for one that is yet to be started.
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
