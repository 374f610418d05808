const FLUSH_MS = 50;
const FLUSH_SIZE = 16_384;

/** Whether a text ends in the middle of a character that takes two UTF-16 units. */
const endsInside = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
};

/** Batches progress events, so that a chatty command does not send a message per line. */
export class ProgressBatches implements Disposable {
  readonly #send: (data: string, message: string | undefined) => void;
  #data = '';
  #message: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(send: (data: string, message: string | undefined) => void) {
    this.#send = send;
  }

  readonly add = ({ output = '', message }: { readonly output?: string; readonly message?: string | undefined }): void => {
    // A tool that was cut off may go on.
    if (this.#ended || (output === '' && message === undefined)) return;
    this.#data += output;
    this.#message = message ?? this.#message;
    if (this.#data.length >= FLUSH_SIZE) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  };

  /** Sends what there is. Half a character waits for the other half. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const whole = endsInside(this.#data) && !this.#ended ? this.#data.length - 1 : this.#data.length;
    const [data, message] = [this.#data.slice(0, whole), this.#message];
    this.#data = this.#data.slice(whole);
    this.#message = undefined;
    if (data === '' && message !== undefined) this.#send('', message);
    for (let at = 0; at < data.length;) {
      const piece = data.slice(at, at + FLUSH_SIZE);
      const end = endsInside(piece) && piece.length > 1 ? piece.slice(0, -1) : piece;
      this.#send(end, at === 0 ? message : undefined);
      at += end.length;
    }
  }

  /** Sends the rest, and nothing after it. */
  end(): void {
    this.#ended = true;
    this.flush();
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
