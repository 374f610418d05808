import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { RecordSplitter } from '../../git/record-splitter.ts';
import { displayText } from '../../workspace/byte-name.ts';
import type { Redact } from '../../store/audit/redact.ts';

/** A log that is fuller than this is set aside, and replaces the one before it. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Of one run of a server at most this much is kept: a flood must not wear the disk out. */
const MAX_RUN_BYTES = 4 * 1024 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;

/** What a server says beside its answers, kept for a person: bounded, without secrets, each line safe to show. */
export class ServerLog implements Disposable {
  readonly #path: string;
  readonly #redact: Redact;
  readonly #lines: RecordSplitter;
  #file: number | undefined;
  #fileBytes = 0;
  #left = MAX_RUN_BYTES;
  #closed = false;

  constructor(path: string, redact: Redact) {
    this.#path = path;
    this.#redact = redact;
    this.#lines = new RecordSplitter((line) => this.#write(line.toString('utf8')), { separator: NEWLINE, maxBytes: MAX_LINE_BYTES });
  }

  /** Takes what came from the server's stderr. */
  take(chunk: Buffer): void {
    this.#lines.write(chunk);
  }

  /** Writes a line of our own. */
  note(text: string): void {
    this.#write(`[synapse ${new Date().toISOString()}] ${text}`);
  }

  [Symbol.dispose](): void {
    if (this.#closed) return;
    this.#lines.end();
    this.#closed = true;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(text: string): void {
    if (this.#left <= 0 || this.#closed) return;
    const line = Buffer.from(`${displayText(this.#redact(text.trimEnd()))}\n`);
    this.#left -= line.length;
    try {
      const file = this.#open();
      writeSync(file, this.#left > 0 ? line : Buffer.from('[synapse] The rest of this run is not kept.\n'));
      this.#fileBytes += line.length;
    } catch {
      // A server runs as well where its log cannot be kept: on a full disk, say.
      this.#left = 0;
    }
  }

  #open(): number {
    if (this.#file !== undefined && this.#fileBytes <= MAX_FILE_BYTES) return this.#file;
    if (this.#file !== undefined) {
      closeSync(this.#file);
      this.#file = undefined;
      renameSync(this.#path, `${this.#path}.1`);
    }
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#fileBytes = fstatSync(this.#file).size;
    return this.#file;
  }
}
