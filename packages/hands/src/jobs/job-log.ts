import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';

const ID = /^job-[0-9a-f]{8}$/u;

/** Returns a new job id. It is random, so that ids of two processes in one state folder do not collide. */
export function newJobId(): string {
  return `job-${randomBytes(4).toString('hex')}`;
}

/** Whether a text is a job id. Only job ids may become file names. */
export function isJobId(text: string): boolean {
  return ID.test(text);
}

/** Size of a log's segments in bytes, and how many of them are kept. */
export interface LogLimits {
  readonly segmentBytes: number;
  readonly segments: number;
}

/** 32 MiB, for the newest output of a server that runs for days. Older output is dropped one segment at a time. */
export const LOG_LIMITS: LogLimits = { segmentBytes: 4 * 1024 * 1024, segments: 8 };

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

const segmentPath = (folder: string, id: string, index: number): string => join(folder, `${id}.${index}.log`);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder was removed with its contents.
    return [];
  }
}

/** Returns the segments of a log, in order. */
function segmentsOf(folder: string, id: string): number[] {
  const prefix = `${id}.`;
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix) && /^\d+\.log$/u.test(name.slice(prefix.length)))
    .map((name) => Number.parseInt(name.slice(prefix.length), 10))
    .toSorted((a, b) => a - b);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed by another cleanup.
  }
}

/** The result of a read. Offsets count all bytes that the job ever wrote. */
export interface LogPart {
  readonly bytes: Buffer;
  /** Offset of the first byte; higher than requested if earlier output is no longer kept. */
  readonly from: number;
  /** Offset of the end of the log. */
  readonly end: number;
}

/** Reads a log of any process from an offset. Returns no bytes beyond the end. */
export function readLog(folder: string, id: string, offset: number, most: number, { segmentBytes }: LogLimits = LOG_LIMITS): LogPart {
  const kept = isJobId(id) ? segmentsOf(folder, id) : [];
  const [first, last] = [kept[0], kept.at(-1)];
  if (first === undefined || last === undefined) return { bytes: Buffer.alloc(0), from: 0, end: 0 };
  const pieces: Buffer[] = [];
  const from = Math.max(offset, first * segmentBytes);
  let at = from;
  let end = at;
  for (const index of kept) {
    let file: number;
    try {
      file = openSync(segmentPath(folder, id, index), constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch {
      // Dropped a moment ago. The next segment is read from its beginning.
      continue;
    }
    try {
      const size = Math.min(fstatSync(file).size, segmentBytes);
      end = index * segmentBytes + size;
      const start = at - index * segmentBytes;
      const wanted = Math.min(size - start, from + most - at);
      if (start < 0 || wanted <= 0) continue;
      const piece = Buffer.allocUnsafe(wanted);
      const got = readSync(file, piece, 0, wanted, start);
      pieces.push(piece.subarray(0, got));
      at += got;
    } finally {
      closeSync(file);
    }
  }
  return { bytes: Buffer.concat(pieces), from: Math.min(from, end), end };
}

/** Deletes a log. */
export function removeLog(folder: string, id: string): void {
  if (isJobId(id)) for (const index of segmentsOf(folder, id)) remove(segmentPath(folder, id, index));
}

/** Writes the output of a job to disk. Beyond the limit, it keeps the newest output. */
export class JobLog implements Disposable {
  readonly #folder: string;
  readonly #id: string;
  readonly #limits: LogLimits;
  #file: number | undefined;
  #end = 0;
  #failed = false;

  /** @param end where to continue a log that another process began */
  constructor(folder: string, id: string, limits: LogLimits = LOG_LIMITS, end = 0) {
    this.#folder = folder;
    this.#id = id;
    this.#limits = limits;
    this.#end = end;
  }

  /** Offset of the next byte. */
  get end(): number {
    return this.#end;
  }

  /** Whether output was lost because it could not be written, for example on a full disk. */
  get failed(): boolean {
    return this.#failed;
  }

  write(chunk: Uint8Array): void {
    if (this.#failed) return;
    const { segmentBytes, segments } = this.#limits;
    try {
      for (let rest = chunk; rest.byteLength > 0;) {
        const index = Math.floor(this.#end / segmentBytes);
        if (this.#file === undefined) {
          const begins = this.#end === index * segmentBytes;
          this.#file = openSync(segmentPath(this.#folder, this.#id, index), begins ? 'wx' : APPEND, 0o600);
          if (index >= segments) remove(segmentPath(this.#folder, this.#id, index - segments));
        }
        const room = (index + 1) * segmentBytes - this.#end;
        const written = writeSync(this.#file, rest, 0, Math.min(room, rest.byteLength));
        this.#end += written;
        rest = rest.subarray(written);
        if (written === room) this.#close();
      }
    } catch {
      // A full disk must not end the job. Its output is reported as incomplete.
      this.#failed = true;
      this.#close();
    }
  }

  read(offset: number, most: number): LogPart {
    return readLog(this.#folder, this.#id, offset, most, this.#limits);
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
