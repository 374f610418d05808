/** Bytes of output that are kept beside a question; the model has all of it. */
const KEPT_BYTES = 4 * 1024;

/** The end of what a command printed. */
export class OutputEnd {
  #kept = Buffer.alloc(0);
  #cut = false;

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.#kept, chunk.subarray(-KEPT_BYTES)]);
    this.#cut ||= joined.length > KEPT_BYTES || chunk.length > KEPT_BYTES;
    this.#kept = joined.subarray(-KEPT_BYTES);
  }

  /** From the beginning of a line, where something before it is missing. */
  get text(): string {
    const text = this.#kept.toString('utf8');
    return this.#cut ? `…${text.slice(text.indexOf('\n'))}` : text;
  }
}
