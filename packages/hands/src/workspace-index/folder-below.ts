import { closeSync, constants, openSync } from 'node:fs';
import { isWatchable, type FolderWatches } from './folder-watches.ts';
import { openFolderBelow, readFailure, throughHandle } from './open-folder.ts';

/** A folder whose content shows through the workspace, which is a branch of it: its changes make no event in the workspace. */
export class FolderBelow implements Disposable {
  readonly #handle: number;

  constructor(path: string) {
    this.#handle = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  }

  /** Watches the folder that shows through one of the workspace, if there is one by this name. Throws if that is impossible. */
  watch(path: string, watches: FolderWatches): void {
    let handle: number;
    try {
      handle = openFolderBelow(this.#handle, path);
    } catch (error) {
      if (readFailure(error, this.#handle, '.').kind === 'unreadable') throw error;
      return;
    }
    try {
      if (!isWatchable(throughHandle(handle))) throw new Error('the file system below it does not tell of every change');
      watches.add(path, handle, 'below');
    } finally {
      closeSync(handle);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }
}
