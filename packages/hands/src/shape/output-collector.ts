import type { Truncation } from '@synapse/protocol';
import type { Limits } from '../limits.ts';
import type { SpillStore, SpillWriter } from '../workspace/spill-store.ts';
import { MAX_SPILL_BYTES } from '../workspace/spill-store.ts';
import { cutText, shownSizes, type Keep } from './cut-text.ts';

/** While an output is below this, nothing is written to disk. */
const MEMORY_BYTES = 128 * 1024;
/** Of a long output this much of each end stays in memory; the ends shown are cut from it. */
const END_BYTES = 128 * 1024;
/** Error-looking lines kept from the middle of a long output. */
const MAX_ERROR_LINES = 40;
const MAX_ERROR_LINE_CHARACTERS = 400;

/** What a compiler, a test runner or a shell writes when something is wrong. */
export const ERROR_LINE =
  /\b(?:error|errors|fail(?:ed|ure|ures)?|fatal|panic(?:ked)?|exception|traceback|assert(?:ion)?|undefined reference|cannot|not found|denied|segmentation fault|✗|✘|E\d{4})\b/iu;

/** What was collected, cut to its limits. */
export interface CollectedOutput {
  readonly text: string;
  readonly truncation?: Truncation;
}

/**
 * Takes output of any length in bounded memory: the head, the tail and lines that look like errors are
 * kept, and the whole goes to a spill file once it outgrows memory.
 */
export class OutputCollector {
  readonly #limits: Limits;
  readonly #spills: SpillStore;
  readonly #decoder = new TextDecoder('utf-8');
  #head = '';
  #tail = '';
  #errors: string[] = [];
  #partial = '';
  /** The chunks as they came, until there is a spill file to hold them. */
  #unspilled: Uint8Array[] = [];
  #bytes = 0;
  #newlines = 0;
  #endsWithNewline = true;
  #spill: SpillWriter | undefined;

  constructor(limits: Limits, spills: SpillStore) {
    this.#limits = limits;
    this.#spills = spills;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes a chunk; returns its text for live views. Characters split over chunks are put together. */
  write(chunk: Uint8Array): string {
    this.#bytes += chunk.byteLength;
    if (this.#spill === undefined && this.#bytes > MEMORY_BYTES) this.#openSpill();
    if (this.#spill === undefined) this.#unspilled.push(chunk);
    else this.#spill.write(chunk);
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#take(text);
    return text;
  }

  /** Takes text that is complete in itself. */
  writeText(text: string): void {
    this.write(Buffer.from(text, 'utf8'));
  }

  /** Cuts what was collected. A `whole` output is given back as it is. */
  finish(keep: Keep): CollectedOutput {
    this.#take(this.#decoder.decode());
    const lines = this.#newlines + Number(!this.#endsWithNewline);
    if (this.#spill === undefined && this.#tail === '' && this.#bytes <= this.#limits.outputBytes && lines <= this.#limits.outputLines) {
      return { text: this.#head };
    }
    const { text, by } = cutText(
      { head: this.#head, tail: this.#tail, errors: this.#errors, totalBytes: this.#bytes, totalLines: lines },
      this.#limits,
      keep,
    );
    if (by === undefined) {
      this.#spill?.close();
      return { text };
    }
    if (this.#spill === undefined) this.#openSpill();
    const spill = this.#spill?.handle;
    this.#spill?.close();
    const whole = this.#bytes <= MAX_SPILL_BYTES;
    const next =
      spill === undefined
        ? 'The rest could not be stored.'
        : `${whole ? 'The whole output' : `The first ${MAX_SPILL_BYTES / 1024 / 1024} MiB`} can be read or searched with path "${spill}".`;
    return {
      text,
      truncation: { by, shown: shownSizes(text), total: { bytes: this.#bytes, lines }, ...(spill === undefined ? {} : { spill }), next },
    };
  }

  #take(text: string): void {
    if (text === '') return;
    this.#endsWithNewline = text.endsWith('\n');
    this.#countLines(text);
    const room = MEMORY_BYTES - this.#head.length;
    if (room >= text.length && this.#tail === '') {
      this.#head += text;
      return;
    }
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    // Cut now and then, not at each chunk: cutting copies.
    if (this.#tail.length > 2 * END_BYTES) this.#tail = this.#tail.slice(-END_BYTES);
  }

  #countLines(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#newlines += 1;
      if (this.#errors.length < MAX_ERROR_LINES && this.#head.length >= this.#limits.outputBytes / 5) this.#noteError(text.slice(start, end));
      this.#partial = '';
      start = end + 1;
    }
    if (this.#partial.length < MAX_ERROR_LINE_CHARACTERS) this.#partial += text.slice(start, start + MAX_ERROR_LINE_CHARACTERS);
  }

  #noteError(rest: string): void {
    const line = (this.#partial + rest).slice(0, MAX_ERROR_LINE_CHARACTERS);
    if (ERROR_LINE.test(line)) this.#errors.push(line.trimEnd());
  }

  #openSpill(): void {
    this.#spill = this.#spills.create();
    for (const chunk of this.#unspilled) this.#spill.write(chunk);
    this.#unspilled = [];
  }
}
