/** Maximum number of characters that a program prints. */
const MAX_PRINTED = 1_000_000;
/** Number of characters that are sent together. */
const TOGETHER = 16 * 1024;

/**
 * What a program prints. Lines are sent together: each message takes time in the process of all sessions, and a program prints a million empty
 * lines in a second.
 */
export class PrintedText {
  readonly #send: (text: string) => void;
  #lines: string[] = [];
  #waiting = 0;
  #printed = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Whether it has reached its maximum: further lines are left out. */
  get isFull(): boolean {
    return this.#printed > MAX_PRINTED;
  }

  add(line: string): void {
    if (this.isFull) return;
    this.#printed += line.length + 1;
    this.#lines.push(this.isFull ? '… more was printed, and is left out' : line);
    this.#waiting += line.length + 1;
    if (this.#waiting >= TOGETHER) this.flush();
  }

  /** Sends what waits. */
  flush(): void {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#waiting = 0;
    this.#send(text);
  }
}
