import type { Truncation } from '@synapse/protocol';
import type { Limits } from '../limits.ts';
import { MAX_SPILL_BYTES, type SpillStore } from '../workspace/spill-store.ts';
import { HEAD_SHARE, cutText, shownSizes, type Keep } from './cut-text.ts';
import { ErrorLines } from './error-lines.ts';
import { EscapeStripper } from './escape-stripper.ts';
import { LineFolder } from './line-folder.ts';
import { SpillBuffer } from './spill-buffer.ts';
import { TextTail } from './text-tail.ts';

/** What was collected, cut to its limits. */
export interface CollectedOutput {
  readonly text: string;
  readonly truncation?: Truncation;
}

/** How to collect. */
export interface CollectOptions {
  /**
   * Output made for a terminal: escape sequences are taken out of the text, and progress bars shown in
   * their last state. The spill has the bytes as they came. Default: the text is exactly what came.
   */
  readonly terminal?: boolean;
  /** Whether what cannot be shown is stored. Default: yes. */
  readonly spill?: boolean;
}

/**
 * Takes output of any length in bounded memory: the head, the tail and lines that look like errors are
 * kept, and the whole goes to a spill file once it outgrows memory. What comes of it depends on the bytes
 * only, never on the pieces they came in.
 */
export class OutputCollector implements Disposable {
  readonly #limits: Limits;
  readonly #spill: SpillBuffer | undefined;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #terminal: { readonly stripper: EscapeStripper; readonly folder: LineFolder } | undefined;
  readonly #errors: ErrorLines;
  #head = '';
  readonly #tail: TextTail;
  /** Bytes as they came. */
  #rawBytes = 0;
  /** Of the text. */
  #bytes = 0;
  #length = 0;
  #newlines = 0;
  #endsWithNewline = true;

  constructor(limits: Limits, spills: SpillStore, { terminal = false, spill = true }: CollectOptions = {}) {
    this.#limits = limits;
    this.#tail = new TextTail(limits.outputBytes);
    this.#spill = spill ? new SpillBuffer(spills) : undefined;
    this.#terminal = terminal ? { stripper: new EscapeStripper(), folder: new LineFolder() } : undefined;
    this.#errors = new ErrorLines(limits.outputBytes * HEAD_SHARE);
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#rawBytes;
  }

  /** Takes a chunk, which may be used again afterwards; returns its text for live views. */
  write(chunk: Uint8Array): string {
    this.#rawBytes += chunk.byteLength;
    this.#spill?.write(chunk);
    return this.#decoded(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Takes text that is complete in itself. */
  writeText(text: string): void {
    this.write(Buffer.from(text, 'utf8'));
  }

  /** Cuts what was collected, and stores the whole where it had to be cut. Nothing can be written afterwards. */
  finish(keep: Keep): CollectedOutput {
    this.#decoded(this.#decoder.decode());
    if (this.#terminal !== undefined) this.#take(this.#terminal.folder.finish());
    const totalLines = this.#newlines + Number(!this.#endsWithNewline);
    const { text, by } = cutText(
      { head: this.#head, tail: this.#tail.text, errors: this.#errors.found, totalBytes: this.#bytes, totalLines, totalLength: this.#length },
      this.#limits,
      keep,
    );
    if (by === undefined) {
      this[Symbol.dispose]();
      return { text };
    }
    const stored = this.#spill?.keep();
    return {
      text,
      truncation: {
        by,
        shown: shownSizes(text),
        total: { bytes: this.#rawBytes, lines: totalLines },
        ...(stored === undefined ? {} : { spill: stored.handle }),
        next:
          stored === undefined
            ? 'The rest was not stored.'
            : `${stored.whole ? 'The whole output' : `The first ${MAX_SPILL_BYTES / 1024 / 1024} MiB of it`} can be read or searched with path "${stored.handle}".`,
      },
    };
  }

  /** Gives the bytes that came up to now, in order, as far as they are stored. */
  replay(take: (bytes: Uint8Array) => void): void {
    this.#spill?.replay(take);
  }

  /** Lets go of what was collected, and of a spill file that `finish` did not keep. */
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
    this.#errors.take(text);
    // A UTF-16 unit is at least a byte: so many units of each end are enough to cut from.
    const room = Math.max(0, this.#limits.outputBytes - this.#head.length);
    if (room > 0) this.#head += text.slice(0, room);
    if (room < text.length) this.#tail.add(room === 0 ? text : text.slice(room));
  }
}
