import { closeSync, fstatSync, type Stats } from 'node:fs';
import { foldersIn, pathIn, type Folder } from './folder.ts';
import { openFolder, readFailure, readFolder, type ReadFailure } from './open-folder.ts';
import type { TimeSlice } from '../events/timing.ts';

/** Maximum number of open folders on the current path; those above are reopened on the way back. */
const MAX_OPEN = 64;
/** Why the rest of a folder is unknown. */
export const MOVED = 'moved while it was read';

/** A visitor of the folders on a walk. Paths are relative to the root, in latin1: one character per byte. */
export interface WalkVisitor {
  /** Called before the folder is read, so that later changes can be noticed. */
  readonly opened: (path: string, handle: number, stat: Stats) => void;
  /** A folder whose names are known to be the same; undefined to read it. Default: all are read. */
  readonly known?: (path: string, stat: Stats) => Folder | undefined;
  /** Called with each folder; the walk waits for a promise. */
  readonly read: (path: string, folder: Folder, handle: number) => Promise<void> | void;
  /** The folders of a folder that was read to go into. Default: all. */
  readonly into?: (path: string) => Iterable<string>;
  readonly failed: (path: string, failure: ReadFailure) => void;
}

/** The start of a walk: a name in an open folder. */
export interface WalkStart {
  readonly parent: number;
  readonly name: string;
  readonly path: string;
}

interface Frame {
  readonly path: string;
  readonly folder: Folder;
  /** Undefined while it is closed. */
  handle: number | undefined;
  /** Folders left to visit; the last one is next. */
  left: string[];
}

/** Sorts `.git` last, so that it is visited first: what git executes is the most dangerous. */
function inOrder(names: string[]): string[] {
  if (names.length < 2) return names;
  return names.toSorted((one, other) => Number(one.toLowerCase() === '.git') - Number(other.toLowerCase() === '.git'));
}

/** Opens a folder through one of its subfolders; undefined if the subfolder has been moved. */
function openAgain({ folder }: Frame, below: number): number | undefined {
  const handle = openFolder(below, '..');
  const { dev, ino } = fstatSync(handle);
  if (dev === folder.device && ino === folder.inode) return handle;
  closeSync(handle);
  return undefined;
}

/**
 * Visits a folder and all folders below it, each opened through the handle of its parent: no depth or path length
 * hides anything, and a link that replaces a folder during the walk is not followed.
 */
export async function walkFolders({ parent, name, path }: WalkStart, visitor: WalkVisitor, slice: TimeSlice): Promise<void> {
  const frames: Frame[] = [];
  const enter = (above: number, name: string, path: string): Promise<void> | undefined => {
    let handle: number | undefined;
    let folder: Folder;
    const failed = (error: unknown): void => {
      if (handle !== undefined) closeSync(handle);
      visitor.failed(path, readFailure(error, above, name));
    };
    const entered = (handle: number, folder: Folder): Promise<void> | undefined => {
      // From here on, the end of the walk closes the folder.
      const frame: Frame = { path, folder, handle, left: [] };
      frames.push(frame);
      closeFar();
      const goOn = (): void => void (frame.left = inOrder(visitor.into === undefined ? foldersIn(folder) : [...visitor.into(path)]));
      const reading = visitor.read(path, folder, handle);
      if (reading instanceof Promise) return reading.then(goOn);
      goOn();
      return undefined;
    };
    const closeFar = (): void => {
      const far = frames.at(-1 - MAX_OPEN);
      if (far?.handle === undefined) return;
      closeSync(far.handle);
      far.handle = undefined;
    };
    try {
      const opened = (handle = openFolder(above, name));
      const stat = fstatSync(opened);
      visitor.opened(path, opened, stat);
      const reading = visitor.known?.(path, stat) ?? readFolder(opened, stat, slice);
      if (reading instanceof Promise) return reading.then((read) => entered(opened, read), failed);
      folder = reading;
    } catch (error) {
      failed(error);
      return undefined;
    }
    return entered(handle, folder);
  };
  try {
    await enter(parent, name, path);
    for (let frame = frames.at(-1); frame?.handle !== undefined; frame = frames.at(-1)) {
      const next = frame.left.pop();
      if (next === undefined) {
        frames.pop();
        const above = frames.at(-1);
        try {
          if (above !== undefined) above.handle ??= openAgain(above, frame.handle);
        } finally {
          closeSync(frame.handle);
        }
        if (above !== undefined && above.handle === undefined) visitor.failed(above.path, { kind: 'unreadable', reason: MOVED });
      } else {
        const entering = enter(frame.handle, next, pathIn(frame.path, next));
        if (entering !== undefined) await entering;
      }
      if (slice.isOver) await slice.next();
    }
  } finally {
    for (const { handle } of frames) if (handle !== undefined) closeSync(handle);
  }
}
