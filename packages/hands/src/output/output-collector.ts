import type { Truncation } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import type { Limits } from './limits.ts';
import { MAX_SPILL_BYTES, type SpillStore, type SpillWriter } from '../workspace/spill-store.ts';
import { cutText, HEAD_SHARE, type Keep, shownSizes, TextTail } from './cut-text.ts';
import { ErrorLines } from './error-lines.ts';
import { EscapeStripper, LineFolder } from '../text/terminal-text.ts';

/** Maximum number of bytes held in memory. Shorter output is not written to disk. */
const MEMORY_BYTES = 128 * 1024;

/** Holds the original bytes of an output: in memory while they are few, then in a spill file. */
class SpillBuffer implements Disposable {
  readonly #store: SpillStore;
  #memory = Buffer.alloc(0);
  #used = 0;
  #writer: SpillWriter | undefined;
  #failed = false;
  #total = 0;

  constructor(store: SpillStore) {
    this.#store = store;
  }

  write(chunk: Uint8Array): void {
    this.#total += chunk.byteLength;
    if (this.#failed) return;
    if (this.#writer === undefined && this.#used + chunk.byteLength <= MEMORY_BYTES) {
      this.#hold(chunk);
      return;
    }
    if (this.#writer === undefined) this.#open();
    this.#attempt(() => this.#writer?.write(chunk));
  }

  /**
   * Writes the bytes to a file if necessary, and closes the file.
   * @param isForTerminal whether to keep them as lines without escape sequences
   * @returns its handle, and whether it has all bytes; undefined if it could not be written
   */
  keep(isForTerminal: boolean): { handle: string; whole: boolean } | undefined {
    if (isForTerminal) this.#attempt(() => this.#convert());
    if (this.#writer === undefined) this.#open();
    const writer = this.#writer;
    this.#attempt(() => writer?.close());
    this.#writer = undefined;
    return this.#failed || writer === undefined ? undefined : { handle: writer.handle, whole: this.#total <= MAX_SPILL_BYTES };
  }

  /** Passes the held bytes to a function, in order, up to the limit of a spill file. */
  replay(take: (bytes: Uint8Array) => void): void {
    if (this.#writer === undefined) take(this.#memory.subarray(0, this.#used));
    else this.#store.replay(this.#writer.handle, take);
  }

  /** Releases the bytes, and a spill file that was not kept. */
  [Symbol.dispose](): void {
    this.#memory = Buffer.alloc(0);
    const writer = this.#writer;
    this.#writer = undefined;
    this.#attempt(() => writer?.discard());
  }

  /** Replaces the bytes by the lines that a terminal shows. */
  #convert(): void {
    const [decoder, stripper, folder] = [new TextDecoder(), new EscapeStripper(), new LineFolder()];
    const lines = this.#store.create();
    try {
      this.replay((bytes) => lines.write(Buffer.from(folder.take(stripper.strip(decoder.decode(bytes, { stream: true }))))));
      lines.write(Buffer.from(folder.take(stripper.strip(decoder.decode())) + folder.finish()));
    } catch (error) {
      lines.discard();
      throw error;
    }
    const original = this.#writer;
    this.#writer = lines;
    original?.discard();
  }

  #hold(chunk: Uint8Array): void {
    if (this.#used + chunk.byteLength > this.#memory.byteLength) {
      const larger = Buffer.allocUnsafe(Math.min(MEMORY_BYTES, Math.max(1_024, 2 * (this.#used + chunk.byteLength))));
      this.#memory.copy(larger, 0, 0, this.#used);
      this.#memory = larger;
    }
    this.#memory.set(chunk, this.#used);
    this.#used += chunk.byteLength;
  }

  #open(): void {
    this.#attempt(() => {
      this.#writer = this.#store.create();
      this.#writer.write(this.#memory.subarray(0, this.#used));
    });
    this.#memory = Buffer.alloc(0);
    this.#used = 0;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch {
      // A full disk must not fail the call. The answer says that the rest is not stored.
      this.#failed = true;
      const writer = this.#writer;
      this.#writer = undefined;
      if (writer !== undefined) this.#attempt(() => writer.discard());
    }
  }
}

/** A control character that a terminal acts on. */
const MEANS_MORE = /(?![\t\n])\p{Cc}/u;

/** Whether a text is lines that a terminal shows as they are, and ends with the last one. */
const isWholeLines = (text: string): boolean => (text === '' || text.endsWith('\n')) && !MEANS_MORE.test(text);

/** Collected output, cut to its limits. */
export interface CollectedOutput {
  readonly text: string;
  readonly truncation?: Truncation;
}

/** Options for collecting output. */
export interface CollectOptions {
  /**
   * Whether the output is for a terminal. Escape sequences are then removed, and progress bars are shown in their last state, in
   * the text and in the spill file: a search for the end of a colored line would miss it. Default: false, and nothing is changed.
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
  readonly #isTerminal: boolean;
  /** Set with the first text that a terminal does not show as it is. */
  #terminal: { readonly stripper: EscapeStripper; readonly folder: LineFolder } | undefined;
  /** Whether a terminal acts on something in it. */
  #hasControls = false;
  /** Set once the text is longer than what is shown: only then are lines from its middle needed. */
  #errors: ErrorLines | undefined;
  #head = '';
  /** Set once the text is longer than its head. */
  #tail: TextTail | undefined;
  /** Number of original bytes. */
  #rawBytes = 0;
  /** Number of bytes of text. */
  #bytes = 0;
  #length = 0;
  #newlines = 0;
  #endsWithNewline = true;

  constructor(limits: Limits, spills: SpillStore, { terminal = false, spill = true }: CollectOptions = {}) {
    this.#limits = limits;
    this.#spill = spill ? new SpillBuffer(spills) : undefined;
    this.#isTerminal = terminal;
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
      return { text: this.#head + (this.#tail?.text ?? '') };
    }
    const { found, totals } = this.#errors ?? this.#errorsIn(this.#head);
    const text = cutText(
      { head: this.#head, tail: this.#tail?.text ?? '', errors: found, totals, totalBytes: this.#bytes, totalLines, totalLength: this.#length },
      this.#limits,
      keep,
    );
    const stored = this.#spill?.keep(this.#hasControls);
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
    if (this.#isTerminal && !isWholeLines(decoded)) this.#terminal ??= { stripper: new EscapeStripper(), folder: new LineFolder() };
    if (this.#terminal === undefined) {
      this.#take(decoded);
      return decoded;
    }
    this.#hasControls ||= MEANS_MORE.test(decoded);
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
      this.#tail ??= new TextTail(this.#limits.outputBytes);
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
