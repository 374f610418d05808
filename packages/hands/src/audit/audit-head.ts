import * as z from 'zod';
import { closeSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { listSegments, openOwnFile } from './audit-folder.ts';
import { linesBackwards } from './lines-backwards.ts';
import { hash } from 'node:crypto';
import type { UnlinkedRecord } from './audit-record.ts';

/** The `prev` hash of the first record of a log. */
export const FIRST_PREVIOUS = '0'.repeat(64);

/** A record as a line of the log. */
interface SealedLine {
  /** Includes the newline. */
  readonly text: string;
  readonly hash: string;
}

const HASH_FIELD = /^(\{"seq":(\d{1,15}),.*"prev":"([0-9a-f]{64})"),"hash":"([0-9a-f]{64})"\}$/su;

/**
 * Turns a record into a line. The hash covers the exact text of the line before it, including the hash of
 * the previous line. Hashing therefore needs no canonical form, and even a changed space is detected.
 */
export function seal(record: UnlinkedRecord, seq: number, time: Date, prev: string): SealedLine {
  const text = JSON.stringify({ seq, time: time.toISOString(), ...record, prev }).slice(0, -1);
  const sum = hash('sha256', text);
  return { text: `${text},"hash":"${sum}"}\n`, hash: sum };
}

/** Returns the links of a line without its newline if its hash is correct; undefined otherwise. */
export function readLinks(line: string): { readonly seq: number; readonly prev: string; readonly hash: string } | undefined {
  const [, text, seq, prev, sum] = HASH_FIELD.exec(line) ?? [];
  if (text === undefined || prev === undefined || sum === undefined || hash('sha256', text) !== sum) return undefined;
  return { seq: Number(seq), prev, hash: sum };
}

/** Maximum number of records that are appended in one step. */
export const MAX_RECORDS = 48;
/** Size of the head file in bytes: one page, so that a reader never finds a mix of old and new. Has room for the hashes of one step. */
const HEAD_BYTES = 4096;
/** Bytes that each write replaces at least. What follows the first line is left over from longer writes. */
const LINE_BYTES = 512;
const SPACE = 0x20;
const NEWLINE = 0x0a;

const HASH = z.string().regex(/^[0-9a-f]{64}$/u);

/** The end of a log. Stored in a separate file, so that lines removed from the end of the log are detected. */
const Head = z.object({
  segment: z.int().min(1),
  /** Size of that segment in bytes. */
  size: z.int().min(0),
  /** Number of records since the log began. */
  count: z.int().min(0),
  /** Hash of the last record. */
  hash: HASH,
  /** Hashes of the records being appended, in order. After a crash they may or may not be in the file. */
  pending: z.array(HASH).max(MAX_RECORDS).readonly(),
});
export type Head = z.infer<typeof Head>;

const EMPTY_HEAD: Head = { segment: 1, size: 0, count: 0, hash: FIRST_PREVIOUS, pending: [] };

/** The file that stores the end of the log. */
export class HeadFile implements Disposable {
  readonly #fd: number;
  readonly #buffer = Buffer.alloc(HEAD_BYTES);
  readonly #known = Buffer.alloc(HEAD_BYTES);
  /** Length of the line in {@link #known}, with its newline. */
  #length = 0;
  #head: Head | undefined;

  constructor(folder: string) {
    // Not in append mode, because Linux then ignores the position of a write.
    this.#fd = openOwnFile(join(folder, 'head'), 0);
  }

  /** Returns the end of the log; undefined if it was never written or is damaged. */
  read(): Head | undefined {
    const length = readSync(this.#fd, this.#buffer, 0, HEAD_BYTES, 0);
    // Usually no other process has written since.
    if (this.#head !== undefined && length >= this.#length && this.#buffer.compare(this.#known, 0, this.#length, 0, this.#length) === 0) {
      return this.#head;
    }
    const end = this.#buffer.subarray(0, length).indexOf(NEWLINE);
    try {
      return Head.parse(JSON.parse(this.#buffer.toString('utf8', 0, end === -1 ? length : end)));
    } catch {
      // The caller then finds the end of the log in another way and records that.
      return undefined;
    }
  }

  write(head: Head): void {
    const { segment, size, count, hash, pending } = head;
    const end = this.#known.write(JSON.stringify({ segment, size, count, hash, pending }), 'latin1');
    const length = Math.max(end + 1, LINE_BYTES);
    this.#known.fill(SPACE, end, length - 1);
    this.#known[length - 1] = NEWLINE;
    this.#length = length;
    this.#head = undefined;
    if (writeSync(this.#fd, this.#known, 0, length, 0) === length) this.#head = head;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** Finds the end of a log by searching backwards for the last complete line. */
export function findHead(folder: string): { readonly head: Head; readonly isNew: boolean } {
  const segments = listSegments(folder);
  for (const { number, path } of segments.toReversed()) {
    for (const { text, end } of linesBackwards(path)) {
      const links = readLinks(text);
      if (links === undefined) continue;
      return { head: { segment: number, size: end, count: links.seq, hash: links.hash, pending: [] }, isNew: false };
    }
  }
  return { head: { ...EMPTY_HEAD, segment: segments.at(-1)?.number ?? 1 }, isNew: segments.length === 0 };
}
