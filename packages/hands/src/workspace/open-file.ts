import { type BigIntStats, closeSync, read as readCallback, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { displayPath } from './byte-name.ts';
import type { PinnedEntry } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import type { WorkspacePath } from './workspace-path.ts';
import { createHash, hash } from 'node:crypto';

const readAsync = promisify(readCallback);

/** Maximum bytes of a synchronous read: about 20 µs, compared with 40 µs through the thread pool. */
const SYNC_READ_BYTES = 256 * 1024;

/** A regular file, open for reading, with its size at the time of opening. */
export interface OpenFile extends Disposable {
  readonly location: WorkspacePath;
  readonly stat: BigIntStats;
  readonly size: number;
  /** Reads up to `length` bytes at `position`, never past the size at opening, so a growing file has an end. */
  read(position: number, length: number): Promise<Buffer>;
  /** Fills a buffer from `position` until the end of the file; returns the number of bytes. */
  readInto(buffer: Buffer, position: number): Promise<number>;
}

const KINDS: ReadonlyArray<readonly [(stat: BigIntStats) => boolean, string]> = [
  [(stat) => stat.isDirectory(), 'a folder'],
  [(stat) => stat.isFIFO(), 'a named pipe'],
  [(stat) => stat.isSocket(), 'a socket'],
  [(stat) => stat.isCharacterDevice() || stat.isBlockDevice(), 'a device'],
  [(stat) => stat.isSymbolicLink(), 'a link'],
];

/** Describes the type of an entry. */
export function kindOf(stat: BigIntStats): string {
  return KINDS.find(([matches]) => matches(stat))?.[1] ?? 'a file';
}

/** Throws if an entry is not a regular file: reading a pipe or a device could block or never end. */
export function assertRegular(stat: BigIntStats, location: WorkspacePath): void {
  if (stat.isFile()) return;
  throw new SynapseError('wrong_type', `${displayPath(location)} is ${kindOf(stat)}, not a file.`, {
    hint: stat.isDirectory() ? 'Use list_directory for a folder.' : 'Only regular files can be read or changed.',
  });
}

/**
 * The error for a folder that could not be opened. If the entry is not a folder, it says what the entry is: the kernel reports
 * ENOTDIR both for a file and for a path below a file, but a model that gets "not found" creates a file.
 */
export function notOpened(error: unknown, pin: () => PinnedEntry): unknown {
  if (!isSynapseError(error) || errnoOf(error.cause) !== 'ENOTDIR') return error;
  using entry = pin();
  return new SynapseError('wrong_type', `${displayPath(entry.location)} is ${kindOf(entry.stat)}, not a folder.`, {
    hint: 'Name a folder, or use read_file for a file.',
    cause: error,
  });
}

/** Opens a pinned entry as a regular file. */
export function openRegular(entry: PinnedEntry): OpenFile {
  assertRegular(entry.stat, entry.location);
  const fd = entry.openForRead();
  const { stat } = entry;
  const size = Number(stat.size);
  const readInto = async (buffer: Buffer, position: number): Promise<number> => {
    const wanted = Math.max(0, Math.min(buffer.length, size - position));
    let filled = 0;
    while (filled < wanted) {
      const rest = wanted - filled;
      const count =
        rest <= SYNC_READ_BYTES
          ? readSync(fd, buffer, filled, rest, position + filled)
          : (await readAsync(fd, buffer, filled, rest, position + filled)).bytesRead;
      // The file was truncated after it was opened.
      if (count === 0) break;
      filled += count;
    }
    return filled;
  };
  return {
    location: entry.location,
    stat,
    size,
    readInto,
    async read(position, length) {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)));
      return buffer.subarray(0, await readInto(buffer, position));
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}

/** Hex digits of a content version. 64 bits distinguish revisions of one file; they do not protect against forgery. */
const VERSION_DIGITS = 16;

/** Returns the version of a file: a hash of its bytes. `read_file` returns it, and a change may require it. */
export function contentVersion(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, VERSION_DIGITS);
}

const CHUNK_BYTES = 256 * 1024;

/** Returns the version of an open file, in bounded memory. */
export async function fileVersion(file: OpenFile): Promise<string> {
  if (file.size <= CHUNK_BYTES) return contentVersion(await file.read(0, file.size));
  const hasher = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position < file.size;) {
    const filled = await file.readInto(buffer, position);
    if (filled === 0) break;
    hasher.update(buffer.subarray(0, filled));
    position += filled;
  }
  return hasher.digest('hex').slice(0, VERSION_DIGITS);
}
