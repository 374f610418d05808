import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  ftruncateSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  symlinkSync,
  utimesSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import type { Name } from './byte-name.ts';
import { errnoOf } from './file-error.ts';
import { secondsOf } from './file-seconds.ts';
import { handlePath } from './handle-confinement.ts';
import { TreeCursor, turns } from './tree-cursor.ts';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Linux `O_PATH`, which Node does not define. Also opens entries that the owner may not read. */
const HELD = 0o10000000 | constants.O_NOFOLLOW;
/** How the content of a file is copied. `try`: by a reflink where the file system has them. */
const CONTENT = {
  try: constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
  always: constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE,
  never: constants.COPYFILE_EXCL,
} as const;
const PERMISSIONS = 0o7777n;
const BLOCK = 512n;
const CHUNK = 64 * 1024;
const ZEROS = Buffer.alloc(CHUNK);

/** A name in a folder. The folder is a path through a handle, or a path that only Synapse writes to. */
export interface CopyPlace {
  readonly folder: string;
  readonly name: Name;
}

/** How a tree is copied. */
export interface CopyOptions {
  /** Whether Synapse owns the source. Missing permissions are then added for the copy and removed again. Default: true */
  readonly owned?: boolean;
  /** Whether files share their content with the source until one of both is changed. Default: `try` */
  readonly reflinks?: keyof typeof CONTENT;
}

/**
 * Copies entries to another file system: types, contents, modes, owners, times, holes, and the hard links among all
 * entries that one instance copies. Walks both sides by handle, so no link that replaces a name redirects it.
 * Skips pipes, sockets and devices.
 */
export class TreeCopy {
  readonly #links: string;
  readonly #signal: AbortSignal;
  readonly #owned: boolean;
  readonly #reflinks: keyof typeof CONTENT;
  readonly #known = new Set<string>();

  /** @param links a folder on the target file system, to hold a name for each file with several links. It is made for the first of them */
  constructor(links: string, signal: AbortSignal, { owned = true, reflinks = 'try' }: CopyOptions = {}) {
    this.#links = links;
    this.#signal = signal;
    this.#owned = owned;
    this.#reflinks = reflinks;
  }

  async copy(from: CopyPlace, to: CopyPlace): Promise<void> {
    using source = new TreeCursor(from.folder, { owned: this.#owned });
    using target = new TreeCursor(to.folder, { owned: true });
    const top = source.stat(from.name);
    if (top === undefined) return;
    const rest = turns(this.#signal);
    await this.#entry(source, from.name, target, to.name, top);
    if (!top.isDirectory()) return;
    const frames: Array<{ readonly names: Name[]; readonly stat: BigIntStats }> = [this.#enter(source, from.name, target, to.name, top)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      await rest();
      const name = frame.names.pop();
      if (name === undefined) {
        frames.pop();
        source.leave();
        closeFolder(target, frame.stat);
        continue;
      }
      const stat = source.stat(name);
      if (stat === undefined) continue;
      await this.#entry(source, name, target, name, stat);
      if (stat.isDirectory()) frames.push(this.#enter(source, name, target, name, stat));
    }
  }

  #enter(source: TreeCursor, from: Name, target: TreeCursor, to: Name, stat: BigIntStats): { names: Name[]; stat: BigIntStats } {
    source.enter(from);
    target.enter(to);
    return { names: source.names(), stat };
  }

  async #entry(source: TreeCursor, from: Name, target: TreeCursor, to: Name, stat: BigIntStats): Promise<void> {
    const at = target.at(to);
    if (stat.isDirectory()) return mkdirSync(at, 0o700);
    const isLinked = stat.nlink > 1n;
    const known = `${this.#links}/${stat.dev}-${stat.ino}`;
    if (isLinked && this.#known.has(known)) return linkSync(known, at);
    if (stat.isSymbolicLink()) {
      symlinkSync(readlinkSync(source.at(from), 'buffer'), at);
      if (process.geteuid?.() === 0) lchownSync(at, Number(stat.uid), Number(stat.gid));
      lutimesSync(at, secondsOf(stat.atimeNs), secondsOf(stat.mtimeNs));
    } else if (stat.isFile()) await this.#file(source, from, at, stat);
    else return;
    if (!isLinked) return;
    if (this.#known.size === 0) mkdirSync(this.#links, { recursive: true, mode: 0o700 });
    linkSync(at, known);
    this.#known.add(known);
  }

  async #file(source: TreeCursor, from: Name, at: string | Buffer, stat: BigIntStats): Promise<void> {
    const input = this.#owned ? openReadable(source.at(from), stat) : openSync(source.at(from), READ);
    try {
      // A reflink keeps holes.
      if (this.#reflinks !== 'always' && stat.blocks * BLOCK < stat.size) await copyWithHoles(input, at, turns(this.#signal));
      else await copyFile(handlePath(input), at, CONTENT[this.#reflinks]);
    } finally {
      closeSync(input);
    }
    const copy = openSync(at, HELD);
    try {
      describe(copy, stat);
    } finally {
      closeSync(copy);
    }
  }
}

/** Opens a file, even if its owner has no permission to read it. */
function openReadable(at: string | Buffer, stat: BigIntStats): number {
  try {
    return openSync(at, READ);
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
  }
  const held = openSync(at, HELD);
  try {
    chmodSync(handlePath(held), 0o600);
    // The magic link leads to the file itself: there is nothing to follow.
    const fd = openSync(handlePath(held), READ & ~constants.O_NOFOLLOW);
    chmodSync(handlePath(held), Number(stat.mode & PERMISSIONS));
    return fd;
  } finally {
    closeSync(held);
  }
}

/** Copies a file and leaves holes for blocks of zeros. A file of nothing but holes can have any size, so it can be ended within one. */
async function copyWithHoles(input: number, at: string | Buffer, rest: ReturnType<typeof turns>): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const output = openSync(at, CREATE, 0o600);
  try {
    let position = 0;
    for (;;) {
      await rest();
      const length = readSync(input, buffer, 0, CHUNK, position);
      if (length === 0) break;
      if (!buffer.subarray(0, length).equals(ZEROS.subarray(0, length))) writeSync(output, buffer, 0, length, position);
      position += length;
    }
    ftruncateSync(output, position);
  } finally {
    closeSync(output);
  }
}

/** Copies owner, times and mode. The mode comes last, because changing the owner clears bits of it. */
function describe(copy: number, stat: BigIntStats): void {
  const at = handlePath(copy);
  if (process.geteuid?.() === 0) chownSync(at, Number(stat.uid), Number(stat.gid));
  utimesSync(at, secondsOf(stat.atimeNs), secondsOf(stat.mtimeNs));
  chmodSync(at, Number(stat.mode & PERMISSIONS));
}

/** Leaves a completely copied folder. */
function closeFolder(target: TreeCursor, stat: BigIntStats): void {
  const folder = openSync(target.self, HELD);
  try {
    target.leave();
    describe(folder, stat);
  } finally {
    closeSync(folder);
  }
}
