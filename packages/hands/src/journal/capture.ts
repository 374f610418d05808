import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Contents } from './blob-store.ts';
import { inodeOf, storeName, type Image } from './step.ts';

// Without following a link, and without waiting for a pipe that took the file's place.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FOLDER_MODE_BITS = 0o7777;
/** A change drops set-id bits, and an undo does not bring them back: a program must not gain powers by it. */
const FILE_MODE_BITS = 0o777;

/** How much of one call the journal keeps. */
export interface JournalLimits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all files that one change touches. */
  readonly changeBytes: number;
  /** Entries that one change touches. */
  readonly changeSteps: number;
  /** Bytes of all that is kept for a workspace; the oldest goes first. */
  readonly totalBytes: number;
  /** Bytes of what transactions exchanged and keep as it was; the oldest goes first. Default: a tenth of the free space. */
  readonly wholeBytes?: number;
  /** Milliseconds for which a change can be undone. */
  readonly ageMs: number;
}

export const DEFAULT_JOURNAL_LIMITS: JournalLimits = {
  fileBytes: 32 * 1024 * 1024,
  changeBytes: 256 * 1024 * 1024,
  changeSteps: 20_000,
  totalBytes: 1024 * 1024 * 1024,
  ageMs: 30 * 24 * 60 * 60 * 1000,
};

/** Something that a change takes away and the journal cannot give back. */
export interface TooLargeToUndo {
  /** As it is shown. */
  readonly path: string;
  readonly bytes: number;
  /** The limit that it is over, in bytes; for a change of many entries, in entries. */
  readonly limit: number;
}

/** Looks at entries before they change, and keeps what they hold. */
export class Capture {
  readonly tooLarge: TooLargeToUndo[] = [];
  readonly #blobs: Contents | undefined;
  readonly #limits: JournalLimits;
  #bytes = 0;

  /** @param blobs where contents are kept; without it they are measured, and not read */
  constructor(blobs: Contents | undefined, limits: JournalLimits) {
    this.#blobs = blobs;
    this.#limits = limits;
  }

  get maxSteps(): number {
    return this.#limits.changeSteps;
  }

  /** A look at something else than what this one sums up, under the same limits. */
  afresh(): Capture {
    return new Capture(this.#blobs, this.#limits);
  }

  /** An entry as it is, with its content kept; null where it is not there. */
  image(directory: PinnedDirectory, name: Name, expected?: BigIntStats): Image | null {
    const stat = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (stat.isDirectory()) return { type: 'folder', mode: Number(stat.mode) & FOLDER_MODE_BITS, inode: inodeOf(stat) };
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(directory.at(name), { encoding: 'buffer' });
      return { type: 'link', target: storeName(nameFromBytes(target)), inode: inodeOf(stat) };
    }
    if (!stat.isFile()) return { type: 'other' };
    return this.#file(directory, name, expected ?? stat);
  }

  /** What a file will be. */
  future(bytes: Uint8Array, mode: number | null): Image {
    return { type: 'file', sha256: this.#blobs?.foresee(bytes) ?? '', size: bytes.byteLength, mode, kept: false };
  }

  #file(directory: PinnedDirectory, name: Name, expected: BigIntStats): Image {
    const size = Number(expected.size);
    const mode = Number(expected.mode) & FILE_MODE_BITS;
    const path = displayPath([...directory.location, name]);
    const image = { type: 'file', sha256: '', size, mode, kept: false, inode: inodeOf(expected) } as const;
    const { fileBytes, changeBytes } = this.#limits;
    const limit = size > fileBytes ? fileBytes : changeBytes;
    if (size > limit || this.#bytes + size > changeBytes) {
      this.tooLarge.push({ path, bytes: size, limit });
      return image;
    }
    this.#bytes += size;
    if (this.#blobs === undefined) return image;
    const fd = openSync(directory.at(name), READ);
    try {
      const opened = fstatSync(fd, { bigint: true });
      if (opened.ino !== expected.ino || opened.size !== expected.size || opened.mtimeNs !== expected.mtimeNs) {
        throw new SynapseError('conflict', `${path} was changed by something else in the meantime; nothing was done.`, {
          hint: 'Read it again and repeat the change.',
          retryable: true,
        });
      }
      return { ...image, sha256: this.#blobs.keep(readFileSync(fd)), kept: true };
    } finally {
      closeSync(fd);
    }
  }
}
