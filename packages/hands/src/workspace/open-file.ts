import { closeSync, read as readCallback, readSync, type BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { displayPath } from './byte-name.ts';
import type { PinnedDirectory, PinnedEntry } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import type { WorkspacePath } from './workspace-path.ts';

const readAsync = promisify(readCallback);

/** Up to this many bytes a read is done at once: about 20 µs against 40 for the way through the thread pool. */
const SYNC_READ_BYTES = 256 * 1024;

/** A regular file, open for reading, with the size it had when it was opened. */
export interface OpenFile extends Disposable {
  readonly location: WorkspacePath;
  readonly stat: BigIntStats;
  readonly size: number;
  /** Reads up to `length` bytes at `position`, never past the size at opening, so a growing file ends. */
  read(position: number, length: number): Promise<Buffer>;
  /** Fills a buffer from `position` as far as the file goes; returns how many bytes. */
  readInto(buffer: Buffer, position: number): Promise<number>;
}

const KINDS: ReadonlyArray<readonly [(stat: BigIntStats) => boolean, string]> = [
  [(stat) => stat.isDirectory(), 'a folder'],
  [(stat) => stat.isFIFO(), 'a named pipe'],
  [(stat) => stat.isSocket(), 'a socket'],
  [(stat) => stat.isCharacterDevice() || stat.isBlockDevice(), 'a device'],
  [(stat) => stat.isSymbolicLink(), 'a link'],
];

/** What an entry is, in words. */
export function kindOf(stat: BigIntStats): string {
  return KINDS.find(([matches]) => matches(stat))?.[1] ?? 'a file';
}

/** Refuses anything but a regular file: reading a pipe or a device could wait or go on for ever. */
export function assertRegular(stat: BigIntStats, location: WorkspacePath): void {
  if (stat.isFile()) return;
  throw new SynapseError('wrong_type', `${displayPath(location)} is ${kindOf(stat)}, not a file.`, {
    hint: stat.isDirectory() ? 'Use list_directory for a folder.' : 'Only regular files can be read or changed.',
  });
}

/**
 * Opens a folder, and says what is there where it is none: the kernel has one word for a file and for what would lie in
 * a file, but a model that is told of no file writes one.
 */
export function openFolder(open: () => PinnedDirectory, pin: () => PinnedEntry): PinnedDirectory {
  try {
    return open();
  } catch (error) {
    if (!isSynapseError(error) || errnoOf(error.cause) !== 'ENOTDIR') throw error;
    using entry = pin();
    throw new SynapseError('wrong_type', `${displayPath(entry.location)} is ${kindOf(entry.stat)}, not a folder.`, {
      hint: 'Name a folder, or use read_file for a file.',
      cause: error,
    });
  }
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
      // The file shrank since it was opened.
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
