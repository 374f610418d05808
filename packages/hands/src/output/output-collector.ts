import type { Truncation } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import type { Limits } from './limits.ts';
import { MAX_SPILL_BYTES, type SpillStore } from '../workspace/spill-store.ts';
import { cutText, HEAD_SHARE, type Keep, shownSizes } from './cut-text.ts';
import { ErrorLines } from './error-lines.ts';
import { EscapeStripper, LineFolder } from '../text/terminal-text.ts';
import { SpillBuffer } from './spill-buffer.ts';

/** Maximum number of pieces before they are joined. Each piece takes as much memory as a few dozen characters. */
const MAX_PIECES = 256;

/** Keeps the end of a text that arrives in pieces, without copying pieces that are dropped soon after. */
class TextTail {
  readonly #length: number;
  #pieces: string[] = [];
  #held = 0;

  /** @param length number of UTF-16 units to keep; up to one additional piece may be kept */
  constructor(length: number) {
    this.#length = length;
  }

  add(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#held += text.length;
    let drop = 0;
    for (let first = this.#pieces[drop]; first !== undefined && this.#held - first.length >= this.#length; first = this.#pieces[drop]) {
      this.#held -= first.length;
      drop += 1;
    }
    if (drop > 0) this.#pieces.splice(0, drop);
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [this.#pieces.join('')];
  }

  get text(): string {
    return this.#pieces.join('');
  }
}

/** Collected output, cut to its limits. */
export interface CollectedOutput {
  readonly text: string;
  readonly truncation?: Truncation;
}

/** Options for collecting output. */
export interface CollectOptions {
  /**
   * Whether the output is for a terminal. Escape sequences are then removed from the text, and progress bars are shown in
   * their last state. The spill file always has the original bytes. Default: false, and the text is unchanged.
   */
  readonly terminal?: boolean;
  /** Whether to store the whole output if it is cut. Default: true. */
  readonly spill?: boolean;
}

/**
 * Collects output of any length in bounded memory. Keeps the head, the tail and lines that look like errors.
 * Output that no longer fits into memory is written to a spill file. The result depends only on the bytes,
 * not on how they were split into pieces.
 */
export class OutputCollector implements Disposable {
  readonly #limits: Limits;
  readonly #spill: SpillBuffer | undefined;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #terminal: { readonly stripper: EscapeStripper; readonly folder: LineFolder } | undefined;
  /** Set once the text is longer than what is shown: only then are lines from its middle needed. */
  #errors: ErrorLines | undefined;
  #head = '';
  readonly #tail: TextTail;
  /** Number of original bytes. */
  #rawBytes = 0;
  /** Number of bytes of text. */
  #bytes = 0;
  #length = 0;
  #newlines = 0;
  #endsWithNewline = true;

  constructor(limits: Limits, spills: SpillStore, { terminal = false, spill = true }: CollectOptions = {}) {
    this.#limits = limits;
    this.#tail = new TextTail(limits.outputBytes);
    this.#spill = spill ? new SpillBuffer(spills) : undefined;
    this.#terminal = terminal ? { stripper: new EscapeStripper(), folder: new LineFolder() } : undefined;
  }

  /** Number of bytes written so far. */
  get bytes(): number {
    return this.#rawBytes;
  }

  /** Writes a chunk, which may be reused afterwards. Returns its text for live views. */
  write(chunk: Uint8Array): string {
    this.#rawBytes += chunk.byteLength;
    this.#spill?.write(chunk);
    return this.#decoded(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Writes a complete text. */
  writeText(text: string): void {
    this.write(Buffer.from(text, 'utf8'));
  }

  /** Cuts the collected output, and stores the whole output if it was cut. Nothing can be written afterwards. */
  finish(keep: Keep): CollectedOutput {
    this.#decoded(this.#decoder.decode());
    if (this.#terminal !== undefined) this.#take(this.#terminal.folder.finish());
    const totalLines = this.#newlines + Number(!this.#endsWithNewline);
    const by = this.#bytes > this.#limits.outputBytes ? 'bytes' : totalLines > this.#limits.outputLines ? 'lines' : undefined;
    if (by === undefined) {
      this[Symbol.dispose]();
      return { text: this.#head + this.#tail.text };
    }
    const { found } = this.#errors ?? this.#errorsIn(this.#head);
    const text = cutText(
      { head: this.#head, tail: this.#tail.text, errors: found, totalBytes: this.#bytes, totalLines, totalLength: this.#length },
      this.#limits,
      keep,
    );
    const stored = this.#spill?.keep();
    const total = count(totalLines, 'line');
    return {
      text,
      truncation: {
        by,
        shown: shownSizes(text),
        total: { bytes: this.#rawBytes, lines: totalLines },
        ...(stored === undefined ? {} : { spill: stored.handle }),
        next:
          stored === undefined
            ? `${total} in all; the rest was not stored.`
            : `${total} in all. ${stored.whole ? 'The whole output' : `The first ${MAX_SPILL_BYTES / 1024 / 1024} MiB of it`} can be read or searched with path "${stored.handle}".`,
      },
    };
  }

  /** Passes the stored bytes so far to a function, in order. */
  replay(take: (bytes: Uint8Array) => void): void {
    this.#spill?.replay(take);
  }

  /** Releases the collected output, and a spill file that `finish` did not keep. */
  [Symbol.dispose](): void {
    this.#spill?.[Symbol.dispose]();
  }

  #decoded(decoded: string): string {
    if (this.#terminal === undefined) {
      this.#take(decoded);
      return decoded;
    }
    const text = this.#terminal.stripper.strip(decoded);
    this.#take(this.#terminal.folder.take(text));
    return text;
  }

  #take(text: string): void {
    if (text === '') return;
    this.#length += text.length;
    this.#bytes += Buffer.byteLength(text);
    this.#endsWithNewline = text.endsWith('\n');
    for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) === 0x0a) this.#newlines += 1;
    this.#errors?.take(text);
    // A UTF-16 unit has at least one byte, so `outputBytes` units of each end are enough.
    const room = Math.max(0, this.#limits.outputBytes - this.#head.length);
    if (room < text.length) {
      this.#errors ??= this.#errorsIn(this.#head + text);
      this.#tail.add(room === 0 ? text : text.slice(room));
    }
    if (room > 0) this.#head += text.slice(0, room);
  }

  /** @param text all of it so far */
  #errorsIn(text: string): ErrorLines {
    const errors = new ErrorLines(this.#limits.outputBytes * HEAD_SHARE);
    errors.take(text);
    return errors;
  }
}
