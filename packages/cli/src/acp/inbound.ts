import { setImmediate } from 'node:timers/promises';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';

type Read = ReturnType<ReadableStreamDefaultReader<AnyMessage>['read']>;

/**
 * The messages of an editor, one after the other: each has reached its handler before the next one is read. The SDK looks through the
 * handlers step by step, so of two messages that arrive together, such as a cancellation and a prompt, the second one could be first.
 */
export class Inbound {
  readonly #reader: ReadableStreamDefaultReader<AnyMessage>;
  readonly #first: Read;
  /** All messages, from the first one on. */
  readonly readable: Stream['readable'];
  /** What ended the messages, if it was an error: the connection itself does not report it. */
  failure: unknown;

  constructor(readable: Stream['readable']) {
    const reader = readable.getReader();
    const first = reader.read();
    first.catch(() => undefined);
    let next: Read | undefined = first;
    this.#reader = reader;
    this.#first = first;
    this.readable = new ReadableStream<AnyMessage>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await (next ?? reader.read());
            next = undefined;
            await setImmediate();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            this.failure = error;
            controller.error(error);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** Returns the first message; undefined if there is none. */
  async first(): Promise<unknown> {
    return await this.#first.then(
      ({ value }) => value,
      () => undefined,
    );
  }

  /** Ends the messages, as an editor does that disconnects. */
  end(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}
