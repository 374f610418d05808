import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { RecordSplitter } from '../../text/record-splitter.ts';
import { displayText } from '../../workspace/byte-name.ts';
import type { Redact } from '../../audit/redact.ts';

/** Bytes above which a log is rotated; it replaces the previous rotated one. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Maximum number of bytes logged per run: a flood must not wear out the disk. */
const MAX_RUN_BYTES = 4 * 1024 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
/** Limits of the output kept in memory, to explain why a run ended. */
const MAX_LAST_LINES = 10;
const MAX_LAST_CHARACTERS = 300;

/** The output of a server in its last run, besides messages. */
export interface ServerWords {
  readonly stderr: readonly string[];
  readonly stdout: readonly string[];
}

/** The output of a server besides messages, kept for users: bounded, without secrets, each line safe to show. */
export class ServerLog implements Disposable {
  readonly #path: string;
  readonly #redact: Redact;
  readonly #lines: RecordSplitter;
  #file: number | undefined;
  #fileBytes = 0;
  #left = MAX_RUN_BYTES;
  #closed = false;
  readonly #last: string[] = [];
  readonly #stray: string[] = [];

  constructor(path: string, redact: Redact) {
    this.#path = path;
    this.#redact = redact;
    this.#lines = new RecordSplitter((line) => this.#said(line.toString('utf8')), { separator: NEWLINE, maxBytes: MAX_LINE_BYTES });
  }

  /** The last lines on stderr, and the first on stdout that are no messages. */
  get said(): ServerWords {
    return { stderr: [...this.#last], stdout: [...this.#stray] };
  }

  /** Starts another run of the same server. */
  again(): void {
    this.#last.length = 0;
    this.#stray.length = 0;
  }

  /** Adds output of the server's stderr. */
  take(chunk: Buffer): void {
    this.#lines.write(chunk);
  }

  /** Adds a line of stdout that is no message. */
  stray(line: string): void {
    const shown = this.#shown(line);
    if (this.#stray.length < MAX_LAST_LINES) this.#stray.push(shown);
    this.#write(`[stdout] ${line}`);
  }

  /** Writes a line of Synapse. */
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

  #said(line: string): void {
    if (this.#closed) return;
    if (line.trim() !== '') this.#last.push(this.#shown(line));
    if (this.#last.length > MAX_LAST_LINES) this.#last.shift();
    this.#write(line);
  }

  #shown(line: string): string {
    return displayText(this.#redact(line.trimEnd())).slice(0, MAX_LAST_CHARACTERS).toWellFormed();
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
      // A server can run without its log, for example on a full disk.
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
