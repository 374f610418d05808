import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum stored output per call in bytes. Output beyond it cannot be read again, but the result still has its end. */
const MAX_BYTES = 67_108_864;
/** The last line of a file that lacks output beyond that. */
const CUT = '\n⟨Only the first 64 MiB of the output were kept.⟩\n';
/** Maximum stored output of ended calls in bytes. The oldest is deleted first; results have the end of it. */
const MAX_KEPT = 268_435_456;

/** What is read in place of deleted output. */
const DELETED = Buffer.from('⟨This output was deleted: only the latest 256 MiB of all calls are kept. The result of the call has its end.⟩\n');
/** The end of the name of an empty file that marks deleted output. */
const MARK = '.deleted';
/** Maximum number of marks. Beyond it, the oldest deleted output reads as empty. */
const MAX_MARKS = 10_000;

/** Bytes that are encoded at once. */
const ENCODED_BYTES = 65_536;

/** The file of a running call. */
interface OpenFile {
  /** Undefined until there is output to store. */
  descriptor: number | undefined;
  /** Bytes of the whole output. The file has fewer if it was cut. */
  size: number;
  isCut: boolean;
}

/** Output of running calls in files, so that a reader can continue from any byte. */
export class Spools {
  readonly #folder: string;
  readonly #open = new Map<string, OpenFile>();
  readonly #encoder = new TextEncoder();
  /** One for all output. With a buffer for each piece, a command that prints much would leave them to the garbage collector, tens of MB at a time. */
  readonly #encoded = new Uint8Array(ENCODED_BYTES);
  readonly #most: number;
  /** The files of ended calls with their sizes, oldest first. */
  readonly #ended = new Map<string, number>();
  /** The marks of deleted ones, oldest first. */
  readonly #marks = new Set<string>();
  #bytes = 0;

  constructor(folder: string, most = MAX_KEPT) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#most = most;
    const files = readdirSync(folder).map((name) => ({ file: join(folder, name), stat: statSync(join(folder, name)) }));
    files.sort((a, b) => a.stat.mtimeMs - b.stat.mtimeMs);
    for (const { file, stat } of files) {
      if (file.endsWith(MARK)) this.#marks.add(file);
      else this.#keep(file, stat.size);
    }
  }

  #keep(file: string, size: number): void {
    this.#ended.set(file, size);
    this.#bytes += size;
    for (const oldest of this.#ended.keys()) {
      if (this.#bytes <= this.#most) return;
      this.#delete(oldest);
      this.#mark(`${oldest}${MARK}`);
    }
  }

  #mark(file: string): void {
    try {
      writeFileSync(file, '', { mode: 0o600 });
    } catch {
      // No room even for that: the output reads as empty. No call fails for it.
      return;
    }
    this.#marks.add(file);
    const [oldest] = this.#marks;
    if (oldest !== undefined && this.#marks.size > MAX_MARKS) this.#unmark(oldest);
  }

  #unmark(file: string): void {
    if (this.#marks.delete(file)) rmSync(file, { force: true });
  }

  #delete(file: string): void {
    this.#bytes -= this.#ended.get(file) ?? 0;
    this.#ended.delete(file);
    rmSync(file, { force: true });
  }

  /**
   * Deletes old output.
   *
   * @param before the time from which on the ledger remembers calls, in milliseconds since 1970
   */
  forget(before: number): void {
    const isOld = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < before;
    for (const file of this.#ended.keys()) {
      if (!isOld(file)) break;
      this.#delete(file);
    }
    for (const file of this.#marks) {
      if (!isOld(file)) break;
      this.#unmark(file);
    }
  }

  // Brains choose the ids; the hash is a safe file name.
  #file(id: string): string {
    return join(this.#folder, createHash('sha256').update(id).digest('hex'));
  }

  /** Appends output. Returns the offset of its first byte. */
  append(id: string, data: string): number {
    const open = this.#open.get(id) ?? { descriptor: undefined, size: 0, isCut: false };
    this.#open.set(id, open);
    const at = open.size;
    open.size = at + Buffer.byteLength(data);
    if (open.isCut) return at;
    open.isCut = open.size > MAX_BYTES;
    open.descriptor ??= this.#create(id);
    this.#write(open.descriptor, open.isCut ? CUT : data);
    return at;
  }

  /** Creates the file of a call. Agents that send plain calls use ids again: what an earlier call left is replaced. */
  #create(id: string): number {
    const file = this.#file(id);
    this.#delete(file);
    this.#unmark(`${file}${MARK}`);
    return openSync(file, 'a', 0o600);
  }

  #write(descriptor: number, data: string): void {
    for (let from = 0; from < data.length;) {
      const { read, written } = this.#encoder.encodeInto(from === 0 ? data : data.slice(from), this.#encoded);
      for (let done = 0; done < written;) done += writeSync(descriptor, this.#encoded, done, written - done);
      from += read;
    }
  }

  /** Reads up to `max` bytes from an offset. Returns them with the total number of bytes. */
  read(id: string, from: number, max: number): { readonly bytes: Uint8Array; readonly total: number } {
    let descriptor: number;
    const file = this.#file(id);
    try {
      descriptor = openSync(file, 'r');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      // There is no file without output.
      const bytes = existsSync(`${file}${MARK}`) ? DELETED : new Uint8Array();
      return { bytes, total: bytes.length === 0 ? 0 : from + bytes.length };
    }
    try {
      const buffer = Buffer.alloc(max);
      const read = readSync(descriptor, buffer, 0, max, from);
      return { bytes: buffer.subarray(0, read), total: fstatSync(descriptor).size };
    } finally {
      closeSync(descriptor);
    }
  }

  /** Closes the file of a finished call. */
  end(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    if (open.descriptor !== undefined) closeSync(open.descriptor);
    const file = this.#file(id);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size !== undefined) this.#keep(file, size);
  }
}
