import { closeSync } from 'node:fs';
import { foldersIn, pathIn, type Folder } from './folder.ts';
import { openFolder, readFailure, readFolder, type ReadFailure } from './open-folder.ts';
import type { TimeSlice } from './time-slice.ts';

/** Folders on the way down that are held open; those above are opened again on the way back. */
const MAX_OPEN = 64;
/** Why the rest of a folder is not known. */
export const MOVED = 'moved while it was read';

/** Who is told of the folders on a walk. Paths are relative to the root; one character stands for one byte (latin1). */
export interface WalkVisitor {
  /** Called before the folder is read, so that what happens to it from then on can be noticed. */
  readonly opened: (path: string, handle: number) => void;
  readonly read: (path: string, folder: Folder) => void;
  readonly failed: (path: string, failure: ReadFailure) => void;
}

/** Where a walk begins: at a name in an open folder. */
export interface WalkStart {
  readonly parent: number;
  readonly name: string;
  readonly path: string;
}

interface Frame {
  readonly path: string;
  readonly folder: Folder;
  /** Undefined while it is not held open. */
  handle: number | undefined;
  /** Folders that are still to be visited; the last one first. */
  readonly left: string[];
}

/** What git executes is the most dangerous, so it is seen first. */
function inOrder(names: string[]): string[] {
  return names.toSorted((one, other) => Number(one.toLowerCase() === '.git') - Number(other.toLowerCase() === '.git'));
}

/** Goes back to a folder by way of one in it; undefined where that one was moved elsewhere meanwhile. */
async function openAgain({ folder }: Frame, below: number, slice: TimeSlice): Promise<number | undefined> {
  const handle = openFolder(below, '..');
  const { device, inode } = await readFolder(handle, slice);
  if (device === folder.device && inode === folder.inode) return handle;
  closeSync(handle);
  return undefined;
}

/**
 * Visits a folder and all folders below it, each opened from the handle of the one above: no depth or length of a path
 * hides anything, and no link that takes the place of a folder meanwhile leads elsewhere.
 */
export async function walkFolders({ parent, name, path }: WalkStart, visitor: WalkVisitor, slice: TimeSlice): Promise<void> {
  const frames: Frame[] = [];
  const enter = async (above: number, name: string, path: string): Promise<void> => {
    let handle: number | undefined;
    try {
      handle = openFolder(above, name);
      visitor.opened(path, handle);
      const folder = await readFolder(handle, slice);
      visitor.read(path, folder);
      frames.push({ path, folder, handle, left: inOrder(foldersIn(folder)) });
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      visitor.failed(path, readFailure(error, above, name));
      return;
    }
    const far = frames.at(-1 - MAX_OPEN);
    if (far?.handle === undefined) return;
    closeSync(far.handle);
    far.handle = undefined;
  };
  try {
    await enter(parent, name, path);
    for (let frame = frames.at(-1); frame?.handle !== undefined; frame = frames.at(-1)) {
      const next = frame.left.pop();
      if (next === undefined) {
        frames.pop();
        const above = frames.at(-1);
        try {
          if (above !== undefined) above.handle ??= await openAgain(above, frame.handle, slice);
        } finally {
          closeSync(frame.handle);
        }
        if (above !== undefined && above.handle === undefined) visitor.failed(above.path, { kind: 'unreadable', reason: MOVED });
      } else {
        await enter(frame.handle, next, pathIn(frame.path, next));
      }
      if (slice.isOver) await slice.next();
    }
  } finally {
    for (const { handle } of frames) if (handle !== undefined) closeSync(handle);
  }
}
