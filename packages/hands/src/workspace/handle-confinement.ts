import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync, readlinkSync, type BigIntStats } from 'node:fs';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { onceATurn } from '../events/timing.ts';
import { displayPath, joinNames, nameFromBytes, type Name } from './byte-name.ts';
import type { Confinement, PinnedDirectory, PinnedEntry } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** Linux `O_PATH` (asm-generic/fcntl.h), which Node does not define. Opens only a handle: no FIFO blocks, no device is activated. */
const O_PATH = 0o10000000;
const DIRECTORY = O_PATH | constants.O_DIRECTORY;
// O_NONBLOCK: if the type was misjudged, opening still returns at once.
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Names with a single spelling, apart from case, even on a file system that folds letters or shortens names. */
const ONE_SPELLING = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/u;

/** The path of an open file or folder through its handle. */
export const handlePath = (fd: number): string => `/proc/self/fd/${fd}`;

/** Larger than what the kernel says of a handle of a file or a folder. */
const INFO = Buffer.alloc(512);

/** The mount of a handle (proc(5)); undefined where the kernel does not tell. No other mount of the machine has its number. */
function mountOf(fd: number): string | undefined {
  const info = openSync(`/proc/self/fdinfo/${fd}`, constants.O_RDONLY);
  try {
    // One read: readFileSync asks for the size first, and reads until the end.
    return /^mnt_id:\s*(\d+)$/mu.exec(INFO.toString('latin1', 0, readSync(info, INFO)))?.[1];
  } finally {
    closeSync(info);
  }
}

/** Whether a mount is one of this process. Those of others, which `/proc/<pid>/root` leads to, show other files under the same names. */
const isOwnMount = (mount: string): boolean =>
  readFileSync('/proc/self/mountinfo', 'latin1')
    .split('\n')
    .some((line) => line.startsWith(`${mount} `));

function outside(path: WorkspacePath): SynapseError {
  return new SynapseError('outside_workspace', `${displayPath(path)} leads out of the workspace, or nowhere, through a link.`, {
    hint: 'Only paths inside the workspace can be used.',
    details: { reason: 'link' },
  });
}

/**
 * Confinement on Linux. `/proc/self/fd/N/name` is a true openat: it starts at the open handle, even
 * if the directory's name has changed. After opening, the kernel itself reports where the handle
 * is, so a link swapped in at any moment leads to an error and not to an escape.
 */
export class HandleConfinement implements Confinement {
  readonly tier = 'handle';
  readonly root: string;
  /** -1 once closed: the number may then belong to another file. */
  #fd: number;
  readonly #mount: string | undefined;
  readonly #isLinked = onceATurn(() => fstatSync(this.#fd).nlink > 0);

  constructor(root: string) {
    this.#fd = openSync(root, DIRECTORY);
    this.root = readlinkSync(handlePath(this.#fd));
    this.#mount = mountOf(this.#fd);
  }

  /** Whether `/proc` provides what this class needs. */
  static works(): boolean {
    if (process.platform !== 'linux') return false;
    try {
      const fd = openSync('/', DIRECTORY);
      try {
        return readlinkSync(handlePath(fd)) === '/' && lstatSync(`${handlePath(fd)}/proc`).isDirectory();
      } finally {
        closeSync(fd);
      }
    } catch {
      // For any error, /proc cannot be used.
      return false;
    }
  }

  exists(): boolean {
    return this.#fd !== -1 && this.#isLinked();
  }

  openDirectory(path: WorkspacePath): PinnedDirectory {
    // From a handle, `.` leads to that folder itself, in its mount.
    if (path.length === 0) return new PinnedHandle(openSync(`${handlePath(this.#fd)}/.`, DIRECTORY), path);
    const direct = this.#openDirectly(path, DIRECTORY);
    if (direct !== undefined) return new PinnedHandle(direct, path);
    const fd = this.#open(path, DIRECTORY);
    return new PinnedHandle(fd, this.#locate(fd, path));
  }

  openEntry(path: WorkspacePath): PinnedEntry {
    const direct = this.#openDirectly(path, O_PATH);
    if (direct !== undefined) {
      const stat = fstatSync(direct, { bigint: true });
      if (!stat.isSymbolicLink()) return new EntryHandle(direct, path, stat);
      closeSync(direct);
    }
    const fd = this.#open(path, O_PATH);
    const location = this.#locate(fd, path);
    const stat = fstatSync(fd, { bigint: true });
    return new EntryHandle(fd, location, stat);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    this.#fd = -1;
  }

  /**
   * Opens an entry directly below the root without following a link. Its location is then known without
   * asking the kernel. Returns undefined on failure; the slower way then reports the error.
   */
  #openDirectly(path: WorkspacePath, flags: number): number | undefined {
    const [name] = path;
    if (path.length !== 1 || typeof name !== 'string' || !ONE_SPELLING.test(name)) return undefined;
    try {
      return openSync(`${handlePath(this.#fd)}/${name}`, flags | constants.O_NOFOLLOW);
    } catch {
      return undefined;
    }
  }

  #open(path: WorkspacePath, flags: number): number {
    const base = handlePath(this.#fd);
    try {
      return openSync(path.length === 0 ? `${base}/.` : joinNames(base, path), flags);
    } catch (error) {
      // A link to a missing place must give the same error as a link to an existing one: the
      // difference would reveal what exists outside.
      if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '') && this.#crossesLink(path)) throw outside(path);
      throw error;
    }
  }

  /** Asks the kernel where a handle is; closes it and throws if that is not inside the root. */
  #locate(fd: number, path: WorkspacePath): WorkspacePath {
    // The root may have been renamed, so its path is read again each time.
    const root = readlinkSync(handlePath(this.#fd), { encoding: 'buffer' });
    const real = readlinkSync(handlePath(fd), { encoding: 'buffer' });
    const isOwn = this.#isOwn(fd);
    if (isOwn && real.equals(root)) return [];
    const prefix = root.length === 1 ? root : Buffer.concat([root, SLASH]);
    if (isOwn && real.length > prefix.length && real.subarray(0, prefix.length).equals(prefix)) {
      return splitNames(real.subarray(prefix.length));
    }
    closeSync(fd);
    throw outside(path);
  }

  /** Whether the name of a handle is one of this process. A name in another mount namespace, such as that of a branch, may be the same. */
  #isOwn(fd: number): boolean {
    const mount = this.#mount === undefined ? undefined : mountOf(fd);
    return mount === this.#mount || (mount !== undefined && isOwnMount(mount));
  }

  /** Whether a link in the path, or at its end, leads outside or nowhere. */
  #crossesLink(path: WorkspacePath): boolean {
    const base = handlePath(this.#fd);
    for (let length = 1; length <= path.length; length += 1) {
      const part = path.slice(0, length);
      try {
        if (!lstatSync(joinNames(base, part)).isSymbolicLink()) continue;
        const fd = openSync(joinNames(base, part), O_PATH);
        this.#locate(fd, part);
        closeSync(fd);
      } catch (error) {
        if (isSynapseError(error)) return true;
        // A missing entry that is not a link is just missing; a link that cannot be opened leads nowhere.
        return lstatSync(joinNames(base, part), { throwIfNoEntry: false })?.isSymbolicLink() === true;
      }
    }
    return false;
  }
}

const SLASH = Buffer.from('/');

function splitNames(path: Buffer): WorkspacePath {
  const text = nameFromBytes(path);
  if (typeof text === 'string') return text.split('/');
  const names: Name[] = [];
  for (let start = 0; start <= path.length;) {
    const slash = path.indexOf(SLASH, start);
    const end = slash === -1 ? path.length : slash;
    names.push(nameFromBytes(path.subarray(start, end)));
    start = end + 1;
  }
  return names;
}

class PinnedHandle implements PinnedDirectory {
  readonly #fd: number;
  readonly location: WorkspacePath;

  constructor(fd: number, location: WorkspacePath) {
    this.#fd = fd;
    this.location = location;
  }

  get self(): string {
    return `${handlePath(this.#fd)}/.`;
  }

  get descriptor(): number {
    return this.#fd;
  }

  at(name: Name): string | Buffer {
    return joinNames(handlePath(this.#fd), [name]);
  }

  child(name: Name): PinnedDirectory {
    // Links are not followed, so this opens an entry of the held directory: no second check needed.
    const fd = openSync(this.at(name), DIRECTORY | constants.O_NOFOLLOW);
    return new PinnedHandle(fd, name === '.' ? this.location : [...this.location, name]);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

class EntryHandle implements PinnedEntry {
  readonly #fd: number;
  readonly location: WorkspacePath;
  readonly stat: BigIntStats;

  constructor(fd: number, location: WorkspacePath, stat: BigIntStats) {
    this.#fd = fd;
    this.location = location;
    this.stat = stat;
  }

  openForRead(): number {
    return openSync(handlePath(this.#fd), READ);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
