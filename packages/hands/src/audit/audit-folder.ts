import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';
import { workspaceId } from '../state/state-folder.ts';

const SEGMENT = /^audit-(\d{6})\.jsonl$/u;

/** A file of a log. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

/** Returns the folder with the log of a workspace. */
export function auditFolder(stateFolder: string, root: string): string {
  return join(stateFolder, 'audit', workspaceId(root));
}

/** Creates the folder of a log, accessible only to its owner. */
export function makeAuditFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

export function segmentPath(folder: string, number: number): string {
  return join(folder, `audit-${String(number).padStart(6, '0')}.jsonl`);
}

function unreadable(what: string, cause?: unknown): SynapseError {
  return new SynapseError('unavailable', `The audit log cannot be read: ${what}.`, {
    hint: 'Look at the folder "audit" in the state folder of Synapse: something else took its place, or it belongs to another user.',
    cause,
  });
}

/**
 * Opens a file of a log for reading and writing. Refuses links, which could redirect the records or overwrite another
 * file, and pipes, which would block all callers.
 *
 * @param how additional flags, such as `O_APPEND`
 */
export function openOwnFile(path: string, how: number): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | how, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw unreadable('one of its files is no file');
}

/**
 * Lists the files of a log, oldest first; returns an empty list if nothing was ever recorded.
 * @throws SynapseError `unavailable` if the log cannot be read and may not be empty
 */
export function listSegments(folder: string): Segment[] {
  const segments: Segment[] = [];
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    // A dangling link has a name: there was a log, or one cannot be created.
    const isNone = [folder, dirname(folder)].every((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== false);
    if (errnoOf(error) === 'ENOENT' && isNone) return [];
    throw unreadable('its folder is none, or not for this user', error);
  }
  for (const name of names) {
    const number = SEGMENT.exec(name)?.[1];
    const stat = number === undefined ? undefined : lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat?.isFile() === false) throw unreadable(`${name} is no file`);
    if (stat !== undefined) segments.push({ number: Number(number), path: join(folder, name), bytes: stat.size, modified: stat.mtimeMs });
  }
  return segments.toSorted((a, b) => a.number - b.number);
}

/** Maximum number of bytes read at once. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** Content that was moved out of a log. */
interface Aside {
  readonly name: string;
  readonly sha256: string;
}

/** The last file of a log, open for appending. */
export class SegmentFile implements Disposable {
  readonly number: number;
  readonly #path: string;
  readonly #fd: number;

  constructor(folder: string, number: number) {
    this.number = number;
    this.#path = segmentPath(folder, number);
    // Append mode guarantees that existing content is never overwritten.
    this.#fd = openOwnFile(this.#path, constants.O_APPEND);
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /** Size in bytes; undefined after the file was deleted, because records written to it would be lost. */
  get sizeIfNamed(): number | undefined {
    const { size, nlink } = fstatSync(this.#fd);
    return nlink > 0 ? size : undefined;
  }

  read(from: number, to: number): Buffer {
    const buffer = Buffer.alloc(Math.min(to - from, MAX_READ_BYTES));
    return buffer.subarray(0, readSync(this.#fd, buffer, 0, buffer.length, from));
  }

  /**
   * Appends all of the bytes or none.
   * @param before the current size in bytes
   */
  append(bytes: Buffer, before = this.size): void {
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      // A full disk may accept part of a line. The line was not acknowledged, so it can be removed.
      if (this.size !== before) ftruncateSync(this.#fd, before);
      throw error;
    }
  }

  /** Moves everything after a position to a separate file. */
  setAside(from: number): Aside {
    const hash = createHash('sha256');
    for (let copy = 1; ; copy += 1) {
      const name = `${this.#path}.aside-${from}-${copy}`;
      let aside: number;
      try {
        aside = openSync(name, 'wx', 0o600);
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') continue;
        throw error;
      }
      try {
        for (let at = from; at < this.size;) {
          const bytes = this.read(at, this.size);
          if (bytes.length === 0) break;
          hash.update(bytes);
          writeFileSync(aside, bytes);
          at += bytes.length;
        }
      } catch (error) {
        // Each later call tries again: on a full disk, incomplete copies would pile up.
        unlinkSync(name);
        throw error;
      } finally {
        closeSync(aside);
      }
      ftruncateSync(this.#fd, from);
      return { name: basename(name), sha256: hash.digest('hex') };
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
