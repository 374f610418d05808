import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** The terminal of a line editor, which shows nothing while something else paints what is typed. */
export class MutedOutput extends Writable {
  readonly isTTY = true;
  isMuted = false;
  readonly #target: WriteStream;

  constructor(target: WriteStream) {
    super({ decodeStrings: false });
    this.#target = target;
    target.on('resize', this.#onResize);
  }

  get columns(): number {
    return this.#target.columns;
  }

  readonly #onResize = (): void => void this.emit('resize');

  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#target.write(chunk);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#target.off('resize', this.#onResize);
    done(error);
  }
}
