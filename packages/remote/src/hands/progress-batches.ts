import type { Progress } from '@synapse/protocol';

const FLUSH_MS = 50;
const FLUSH_SIZE = 16_384;

/** Batches progress events, so that a chatty command does not send a message per line. */
export class ProgressBatches implements Disposable {
  readonly #send: (data: string, message: string | undefined) => void;
  #data = '';
  #message: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (data: string, message: string | undefined) => void) {
    this.#send = send;
  }

  readonly add = ({ output = '', message }: Progress): void => {
    this.#data += output;
    this.#message = message ?? this.#message;
    if (this.#data.length >= FLUSH_SIZE) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  };

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [data, message] = [this.#data, this.#message];
    this.#data = '';
    this.#message = undefined;
    if (data === '' && message !== undefined) this.#send('', message);
    for (let at = 0; at < data.length; at += FLUSH_SIZE) this.#send(data.slice(at, at + FLUSH_SIZE), at === 0 ? message : undefined);
  }

  [Symbol.dispose](): void {
    this.flush();
  }
}
