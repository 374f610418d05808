import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';

/** A folder and its repository. */
export interface RepositoryTop {
  /** The top of the repository; the folder itself if it is not in one. */
  readonly top: string;
  /** The path from there to the folder, with `/`; empty for the top. */
  readonly folder: string;
}

/** Finds a folder's repository by its `.git`. A repository of a whole home folder does not count for folders in it. */
export function repositoryTop(folder: string): RepositoryTop {
  let real: string;
  try {
    real = realpathSync(folder);
  } catch {
    // Missing: opening the folder reports the error.
    return { top: folder, folder: '' };
  }
  // A file: opening it as a folder reports the error.
  if (!statSync(real).isDirectory()) return { top: real, folder: '' };
  for (let at = real; at !== homedir(); at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return { top: at, folder: relative(at, real).split(sep).join('/') };
    if (dirname(at) === at) break;
  }
  return { top: real, folder: '' };
}
