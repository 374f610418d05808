import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isWithin } from '../workspace/workspace-path.ts';
import type { Mount } from './bubblewrap-arguments.ts';

/** A readable descriptor for a process to inherit. */
export interface ReadHandle extends Disposable {
  readonly descriptor: number;
}

/** Writes content to an unlinked file, which no other process can open. */
export function keepAnonymous(content: string | Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-sandbox-'));
  try {
    const path = join(folder, 'content');
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
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
