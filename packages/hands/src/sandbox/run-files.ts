import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from '../workspace/file-error.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import { FIRST_HANDLE, type InheritedHandle } from '../process/processes.ts';
import type { Mount, SandboxPlan } from './bubblewrap-arguments.ts';

/** A readable descriptor for a process to inherit. */
export interface ReadHandle extends Disposable {
  readonly descriptor: number;
}

/** A file without a name (fcntl.h): Node has no constant for it. */
const O_TMPFILE = constants.O_DIRECTORY | 0o20_000_000;
/** What file systems without such files answer, and kernels that take the flags for those of a folder. */
const NO_NAMELESS: ReadonlySet<string | undefined> = new Set(['EOPNOTSUPP', 'EISDIR', 'EINVAL', 'ENOENT']);

/**
 * Opens an empty file that has no name, for reading and writing: a folder and a name for it would cost each command six changes of the file
 * system, and the end of a folder takes a millisecond where its block is discarded at once.
 *
 * @throws SynapseError `unavailable` if there is no place for one
 */
export function openNameless(folder = tmpdir()): number {
  try {
    return openSync(folder, O_TMPFILE | constants.O_RDWR | constants.O_EXCL, 0o600);
  } catch (error) {
    if (!NO_NAMELESS.has(errnoOf(error))) throw noPlace(error);
  }
  return openUnlinked(folder);
}

function openUnlinked(parent: string): number {
  let folder: string;
  try {
    folder = mkdtempSync(join(parent, 'synapse-sandbox-'));
  } catch (error) {
    throw noPlace(error);
  }
  try {
    return openSync(join(folder, 'content'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function noPlace(error: unknown): unknown {
  if (errnoOf(error) === undefined) return error;
  return new SynapseError('unavailable', 'No temporary file can be made, so commands cannot be confined.', {
    hint: 'Set TMPDIR to a folder that can be written.',
    cause: error,
  });
}

/** Writes content to a file without a name, which no other process can open. It is still at its start. */
export function keepAnonymous(content: string | Uint8Array): number {
  const descriptor = openNameless();
  const bytes = Buffer.from(content);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

/** Opens the file at its start. bubblewrap reads a descriptor to its end, so each run needs a new one. */
export function openAnonymous(held: number): ReadHandle {
  const descriptor = openSync(`/proc/self/fd/${held}`, 'r');
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** An open file of this machine that bubblewrap copies to the same path. */
export interface CopiedFile extends ReadHandle {
  readonly path: string;
  readonly mode: number;
}

/** The mounts that remain, and the files that are copied instead. */
export interface CopiedFiles extends Disposable {
  readonly mounts: readonly Mount[];
  readonly files: readonly CopiedFile[];
  /** The mounts that were replaced. */
  readonly replaced: readonly Mount[];
}

/** Larger files take longer to copy than to mount. */
const MAX_BYTES = 96 * 1024;
/** Settings of the machine: many small files, most of them alone in the view. */
const FOLDER = '/etc';
/** Not a pipe or device that opening would wait for, and not what a link leads to. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Replaces the mounts of small files in `/etc` by copies in the empty root of the command, which becomes read-only. For
 * each mount bubblewrap reads the whole table of mounts, so a view with ten such files takes one to two milliseconds longer.
 *
 * @param folder Default: `/etc`
 */
export function openCopiedFiles(mounts: readonly Mount[], folder = FOLDER): CopiedFiles {
  const covered = new Set(mounts.map(({ path }) => path));
  const files: CopiedFile[] = [];
  const replaced = new Set<Mount>();
  for (const mount of mounts) {
    if (mount.kind !== 'read-only' || mount.source !== undefined || !mount.path.startsWith(`${folder}/`) || isBelow(mount.path, covered)) continue;
    const file = openSmall(mount.path);
    if (file === undefined) continue;
    files.push(file);
    replaced.add(mount);
  }
  return {
    mounts: mounts.filter((mount) => !replaced.has(mount)),
    files,
    replaced: [...replaced],
    [Symbol.dispose]: () => {
      for (const file of files) file[Symbol.dispose]();
    },
  };
}

/** Whether a path is in a mounted folder, which is not the root that copies are made in. */
function isBelow(path: string, mounted: ReadonlySet<string>): boolean {
  for (let above = dirname(path); above !== '/'; above = dirname(above)) if (mounted.has(above)) return true;
  return false;
}

function openSmall(path: string): CopiedFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, OPEN_FLAGS);
  } catch {
    // Gone, or closed to this user: a mount handles both.
    return undefined;
  }
  const stat = fstatSync(descriptor);
  if (stat.isFile() && stat.size <= MAX_BYTES) {
    return { path, mode: stat.mode & 0o555, descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  }
  closeSync(descriptor);
  return undefined;
}

/** A file of which each command gets a copy in its home folder. */
export interface HomeFile {
  /** Path relative to the home folder. */
  readonly name: string;
  readonly content: string;
}

/** An open home file that bubblewrap copies. */
export interface OpenHomeFile extends ReadHandle {
  readonly path: string;
}

/** Unlinked files by content. A process only has a few different ones. */
const held = new Map<string, number>();

/**
 * Opens files for a command to inherit. Skips empty files, and all files if there is no private home folder.
 *
 * @param mounted paths of other mounts: a file there would be created in the workspace, or in a read-only folder, which fails
 */
export function openHomeFiles(home: string | undefined, files: readonly HomeFile[], mounted: readonly string[]): OpenHomeFile[] & Disposable {
  // The home folder is a mount itself, which covers those above it.
  const below = mounted.filter((place) => home !== undefined && place !== home && isWithin(place, home));
  const isFree = (path: string): boolean => !below.some((place) => isWithin(path, place));
  const open = files
    .filter(({ name, content }) => content !== '' && home !== undefined && isFree(`${home}/${name}`))
    .map(({ name, content }) => {
      const file = held.get(content) ?? keepAnonymous(Buffer.from(content, 'latin1'));
      held.set(content, file);
      return { path: `${home}/${name}`, ...openAnonymous(file) };
    });
  return Object.assign(open, {
    [Symbol.dispose]: () => {
      for (const file of open) file[Symbol.dispose]();
    },
  });
}

/** What a run passes to bubblewrap and the command as open files. */
interface RunFilesRequest {
  /** The system call filter, and the maximum number of processes; undefined if there is none. */
  readonly filter: number | undefined;
  readonly pidMax: number | undefined;
  /** The private home folder of the command; undefined if it has none. */
  readonly home: string | undefined;
  readonly homeFiles: readonly HomeFile[];
  /** Further files in it, which the command need not know. */
  readonly furtherFiles: readonly HomeFile[];
  /** The mounts outside the workspace. */
  readonly machine: readonly Mount[];
  /** Paths of all mounts. */
  readonly mounted: readonly string[];
  /** Handles of a network that the command joins. */
  readonly shared: readonly InheritedHandle[];
  /** The handle of what is counted when the command ends. */
  readonly counts: InheritedHandle | undefined;
}

/** The open files of one run. */
export interface RunFiles extends Disposable {
  /** To inherit, in this order. */
  readonly handles: readonly InheritedHandle[];
  /** Descriptors in the sandbox. */
  readonly descriptors: {
    readonly filter?: number;
    readonly pidMax?: number;
    /** The first of the network. */
    readonly shared: number;
    readonly counts: number;
  };
  /** The files that bubblewrap creates. */
  readonly files: NonNullable<SandboxPlan['files']>;
  /** The mounts outside the workspace that remain, and those that copies replace. */
  readonly mounts: readonly Mount[];
  readonly replaced: readonly Mount[];
}

/** Gives files the numbers of their descriptors in the sandbox, in the order of the handles. */
const numbered = (files: ReadonlyArray<{ readonly path: string; readonly mode?: number }>, first: number): RunFiles['files'] =>
  files.map(({ path, mode }, index) => ({ descriptor: first + index, path, ...(mode === undefined ? {} : { mode }) }));

/** Opens the files of a run. bubblewrap reads each descriptor to its end, so no other run can use them. */
export function openRunFiles({ filter, pidMax, home, homeFiles, furtherFiles, machine, mounted, shared, counts }: RunFilesRequest): RunFiles {
  using stack = new DisposableStack();
  const open = (held: number | undefined): InheritedHandle[] => (held === undefined ? [] : [stack.use(openAnonymous(held))]);
  const settings = [...open(filter), ...open(pidMax)];
  const own = stack.use(openHomeFiles(home, homeFiles, mounted));
  const further = stack.use(openHomeFiles(home, furtherFiles, mounted));
  const copied = stack.use(openCopiedFiles(machine));
  // The order gives the descriptors their numbers. A shell accepts only one digit, so files that it need not know are last.
  const planned = [...settings, ...own];
  const named = [...planned, ...shared, ...(counts === undefined ? [] : [counts])];
  const last = [...further, ...copied.files];
  const opened = stack.move();
  return {
    handles: [...named, ...last],
    descriptors: {
      ...(filter === undefined ? {} : { filter: FIRST_HANDLE }),
      ...(pidMax === undefined ? {} : { pidMax: FIRST_HANDLE + settings.length - 1 }),
      shared: FIRST_HANDLE + planned.length,
      counts: FIRST_HANDLE + named.length - 1,
    },
    files: [...numbered(own, FIRST_HANDLE + settings.length), ...numbered(last, FIRST_HANDLE + named.length)],
    mounts: copied.mounts,
    replaced: copied.replaced,
    [Symbol.dispose]: () => opened.dispose(),
  };
}
