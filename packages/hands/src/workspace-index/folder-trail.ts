import { closeSync } from 'node:fs';
import { openFolder, openFolderBelow } from './open-folder.ts';

/** Maximum number of open folders. */
const MAX_OPEN = 64;

/**
 * Opens many folders below an open one, name by name through handles. Folders on the path of the last one stay open, so
 * that a walk in order opens each only once.
 */
export class FolderTrail implements Disposable {
  readonly #start: number;
  readonly #open: Array<{ readonly name: string; readonly handle: number }> = [];

  constructor(start: number) {
    this.#start = start;
  }

  /** Returns a handle that is valid until the next call. */
  open(path: string): number {
    const names = path === '' ? [] : path.split('/');
    const same = this.#open.findIndex(({ name }, index) => names[index] !== name);
    if (same !== -1) this.#close(same);
    else this.#close(Math.min(this.#open.length, names.length));
    for (const name of names.slice(this.#open.length, MAX_OPEN)) this.#open.push({ name, handle: openFolder(this.#last, name) });
    if (names.length <= MAX_OPEN) return this.#last;
    const rest = names.slice(MAX_OPEN).join('/');
    this.#open.push({ name: rest, handle: openFolderBelow(this.#last, rest) });
    return this.#last;
  }

  [Symbol.dispose](): void {
    this.#close(0);
  }

  get #last(): number {
    return this.#open.at(-1)?.handle ?? this.#start;
  }

  #close(from: number): void {
    for (const { handle } of this.#open.splice(from)) closeSync(handle);
  }
}
