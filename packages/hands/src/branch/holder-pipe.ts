import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { errnoOf } from '../workspace/file-error.ts';
import { isRunning } from '../workspace/process-identity.ts';
import type { BranchFolder } from './branch-folder.ts';

/** The identity of the process that holds a branch, or that did. */
export function holderOf(folder: BranchFolder): string {
  try {
    return readFileSync(folder.holder, 'utf8');
  } catch {
    // Missing, or something else has its name, which mounting reports.
    return '';
  }
}

/** Opens the pipe for writing; undefined if the holder does not read it. */
export function openPipe(folder: BranchFolder, path = folder.held): number | undefined {
  try {
    const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    // Anything may have its name, and any program may read it.
    if (fstatSync(descriptor).isFIFO() && isRunning(holderOf(folder)) === true) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    // Missing, without a reader, which was killed, or a folder.
    if (['ENOENT', 'ENXIO', 'EISDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Opens the pipe of a holder that has just started, and then lets others find it; undefined if the holder does not read it. */
export function openNewPipe(folder: BranchFolder): number | undefined {
  const descriptor = openPipe(folder, folder.newlyHeld);
  if (descriptor !== undefined) renameSync(folder.newlyHeld, folder.held);
  return descriptor;
}
