import { closeSync, constants, openSync } from 'node:fs';
import { isWatchable, type FolderWatches } from './folder-watches.ts';
import { openFolderBelow, readFailure, throughHandle } from './open-folder.ts';

/** What shows through a workspace that is a branch. */
export interface BelowOptions {
  readonly path: string;
  /** Lets the workspace show what was changed in it. Default: it always does. */
  readonly refresh?: () => Promise<void>;
}

/** A folder whose content shows through the workspace, which is a branch of it: its changes make no event in the workspace. */
export class FolderBelow implements Disposable {
  readonly #handle: number;
  readonly #refresh: BelowOptions['refresh'];
  #refreshing: Promise<void> | undefined;
  /** Whether something changed since the refresh began. */
  #isChanged = false;

  constructor({ path, refresh }: BelowOptions) {
    this.#handle = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    this.#refresh = refresh;
  }

  /** Resolves when the workspace shows the changes that were reported before. */
  async settled(): Promise<void> {
    // The refresh that runs may have begun before the last of them.
    for (let times = 0; times < 2 && this.#refreshing !== undefined; times += 1) await this.#refreshing;
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
      watches.add(path, handle, () => this.#changed());
    } finally {
      closeSync(handle);
    }
  }

  #changed(): void {
    if (this.#refreshing !== undefined) {
      this.#isChanged = true;
      return;
    }
    // Without an answer, the workspace shows some files as they were.
    this.#refreshing = this.#refresh?.()
      .catch(() => {})
      .finally(() => {
        this.#refreshing = undefined;
        if (!this.#isChanged) return;
        this.#isChanged = false;
        this.#changed();
      });
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }
}
