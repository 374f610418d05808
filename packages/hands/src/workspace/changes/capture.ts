import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath, type Name, nameFromBytes } from '../byte-name.ts';
import type { PinnedDirectory } from '../confinement.ts';
import type { WorkspacePath } from '../workspace-path.ts';
import { type Image, inodeOf, type Step, storeName } from './step.ts';

// Does not follow a link, and does not block on a pipe that replaced the file.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FOLDER_MODE_BITS = 0o7777;
/** A change drops set-id bits, and an undo does not restore them: a program must not gain privileges. */
const FILE_MODE_BITS = 0o777;

/** How much the journal keeps. */
export interface JournalLimits {
  /** Maximum bytes of one file. */
  readonly fileBytes: number;
  /** Maximum bytes of all files of one change. */
  readonly changeBytes: number;
  /** Maximum number of entries of one change. */
  readonly changeSteps: number;
  /** Maximum bytes kept for a workspace; the oldest are removed first. */
  readonly totalBytes: number;
  /** Maximum bytes of entries that transactions replaced, kept as a whole; the oldest are removed first. Default: a tenth of the free space. */
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

/** An entry that a change removes and the journal cannot restore. */
export interface TooLargeToUndo {
  /** Path as shown to the model. */
  readonly path: string;
  readonly bytes: number;
  /** The exceeded limit, in bytes; for a change of many entries, in entries. */
  readonly limit: number;
}

/** File contents by hash. */
export interface Contents {
  /** Stores content that a change removes, and returns its SHA-256. */
  keep(bytes: Uint8Array): string;
  /** Returns the SHA-256 of content that a change adds. It will be on disk, so it is not stored. */
  foresee(bytes: Uint8Array): string;
  /** Returns stored content; undefined if it is missing or damaged. */
  read(sum: string): Buffer | undefined;
}

/** Records entries before they change, and stores their content. */
export class Capture {
  readonly tooLarge: TooLargeToUndo[] = [];
  readonly #blobs: Contents | undefined;
  readonly #limits: JournalLimits;
  #bytes = 0;

  /** @param blobs where contents are stored; if undefined, they are only measured and not read */
  constructor(blobs: Contents | undefined, limits: JournalLimits) {
    this.#blobs = blobs;
    this.#limits = limits;
  }

  get maxSteps(): number {
    return this.#limits.changeSteps;
  }

  /** Creates an independent capture with the same limits and a new total. */
  afresh(): Capture {
    return new Capture(this.#blobs, this.#limits);
  }

  /** Returns the image of an existing entry and stores its content; null if it does not exist. */
  image(directory: PinnedDirectory, name: Name, expected?: BigIntStats): Image | null {
    const stat = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (stat.isDirectory()) return { type: 'folder', mode: Number(stat.mode) & FOLDER_MODE_BITS, inode: inodeOf(stat) };
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(directory.at(name), { encoding: 'buffer' });
      return { type: 'link', target: storeName(nameFromBytes(target)), inode: inodeOf(stat), changed: String(stat.ctimeNs) };
    }
    if (!stat.isFile()) return { type: 'other' };
    return this.#file(directory, name, expected ?? stat);
  }

  /** Returns the image of a file that will be written. */
  future(bytes: Uint8Array, mode: number | null): Image {
    return { type: 'file', sha256: this.#blobs?.foresee(bytes) ?? '', size: bytes.byteLength, mode, kept: false };
  }

  #file(directory: PinnedDirectory, name: Name, expected: BigIntStats): Image {
    const size = Number(expected.size);
    const mode = Number(expected.mode) & FILE_MODE_BITS;
    const path = displayPath([...directory.location, name]);
    const [modified, changed] = [String(expected.mtimeNs), String(expected.ctimeNs)];
    const image = { type: 'file', sha256: '', size, mode, kept: false, inode: inodeOf(expected), modified, changed } as const;
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

/** Exchanges whose entries are on the file system of the workspace. */
export interface StagedSteps {
  readonly steps: readonly Step[];
  /** Moves the exchanged entries to where they are kept. Call this after the steps were applied, or were not. */
  settle(): Promise<void>;
}

/** The content of a file after another program changed it for a call. */
export interface MadeChange {
  readonly location: WorkspacePath;
  readonly bytes: Buffer;
}

/** Makes a change with another program. Reports each file that it wrote at once, because its content may differ from the plan. */
export type MutateByOther = (onMade: (change: MadeChange) => void) => Promise<void>;

/** Records the changes of a call so that they can be undone. Every change of the disk goes through it. */
export interface ChangeJournal {
  /** Completes the changes that a killed process left unfinished. Called before any lock is taken. */
  ready(): Promise<void>;
  /** Copies entries for an exchange to the file system of the workspace, if theirs differs. Called before {@link apply}. */
  stage(steps: readonly Step[]): Promise<StagedSteps>;
  /**
   * Makes a change after storing what it removes and recording its intent. If the change fails,
   * its effects so far are undone. A dry run plans the change without making it.
   *
   * @param plan returns the changes in order; throws errors that can be detected beforehand
   */
  record(plan: (capture: Capture) => Step[], mutate: () => void): void;
  /**
   * The same for a change that another program makes in part. Missing in a dry run, where no other program may be asked to change
   * something.
   *
   * @param options `apart`: recorded as a call of its own, so that an undo of this call leaves it
   */
  readonly recordMade?: (plan: (capture: Capture) => Step[], mutate: MutateByOther, options: { readonly apart: boolean }) => Promise<void>;
  /**
   * Applies a list of changes in order, all of them or none.
   */
  apply(steps: readonly Step[], undoes: readonly number[]): void;
  /** Returns the content of the file that a step puts in place; undefined for other steps, and if it is too large or not kept. */
  bytesAfter(step: Step, maxBytes: number): Buffer | undefined;
}
