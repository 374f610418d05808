import { randomBytes } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, readdirSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { openRegular, type OpenFile } from './open-file.ts';

const PREFIX = 'spill:';
const HANDLE = /^spill:([a-z0-9]{24})$/u;
/** Spills older than this are removed, in milliseconds: seven days. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
/** Of one output at most this much is kept on disk, in bytes. */
export const MAX_SPILL_BYTES = 64 * 1024 * 1024;
/** All spills of a workspace together; the oldest go first. */
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;

/** A spill being written. */
export interface SpillWriter {
  readonly handle: string;
  write(bytes: Uint8Array): void;
  close(): void;
}

/** Keeps outputs that were too long to show, outside the workspace, each under a name of its own. */
export class SpillStore {
  readonly #folder: string;
  #ready = false;

  /** @param folder one per workspace, so that a handle of another project opens nothing */
  constructor(folder: string) {
    this.#folder = folder;
  }

  create(): SpillWriter {
    this.#prepare();
    const id = randomBytes(12).toString('hex');
    const fd = openSync(join(this.#folder, id), 'wx', 0o600);
    let left = MAX_SPILL_BYTES;
    return {
      handle: PREFIX + id,
      write(bytes) {
        const part = bytes.byteLength > left ? bytes.subarray(0, left) : bytes;
        left -= part.byteLength;
        for (let at = 0; at < part.byteLength;) at += writeSync(fd, part, at);
      },
      close: () => closeSync(fd),
    };
  }

  /** The real path of a spill, for a search; undefined where the text is no handle. */
  resolve(handle: string): string | undefined {
    const id = HANDLE.exec(handle)?.[1];
    return id === undefined ? undefined : join(this.#folder, id);
  }

  /** Opens a spill by its handle; undefined where the text is no handle. */
  open(handle: string): OpenFile | undefined {
    const path = this.resolve(handle);
    if (path === undefined) return undefined;
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) {
      throw new SynapseError('not_found', `The stored output ${handle} is gone.`, {
        hint: 'Stored outputs are kept for seven days; run the call again.',
      });
    }
    const open = (): number => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    return openRegular({ location: [handle], stat, openForRead: open, [Symbol.dispose]: () => {} });
  }

  /** Makes the folder and removes what is too old or too much, once per process. */
  #prepare(): void {
    if (this.#ready) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const files = readdirSync(this.#folder)
      .map((name) => ({ path: join(this.#folder, name), stat: statSync(join(this.#folder, name), { throwIfNoEntry: false }) }))
      .toSorted((a, b) => (b.stat?.mtimeMs ?? 0) - (a.stat?.mtimeMs ?? 0));
    let total = 0;
    for (const { path, stat } of files) {
      if (stat === undefined) continue;
      total += stat.size;
      if (Date.now() - stat.mtimeMs > MAX_AGE_MS || total > MAX_TOTAL_BYTES) unlinkSync(path);
    }
    this.#ready = true;
  }
}
