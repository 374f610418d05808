/** What became of a file. */
export type FileChange = 'created' | 'changed' | 'deleted';

/** What changed since it was last asked. */
export interface Changes {
  /** By path from the root; one character stands for one byte (latin1). */
  readonly files: ReadonlyMap<string, FileChange>;
  /** Whether there was more, or it is not known what: everything may have changed. */
  readonly all: boolean;
}

/** More is told as "everything". */
const MAX_CHANGES = 5_000;

/** Collects what changes for one who asks now and then. */
export class ChangeFeed {
  readonly #wanted: (path: string) => boolean;
  #files = new Map<string, FileChange>();
  #all = true;

  /** @param wanted the paths of files that matter */
  constructor(wanted: (path: string) => boolean) {
    this.#wanted = wanted;
  }

  add(path: string, change: FileChange): void {
    if (this.#all || !this.#wanted(path)) return;
    this.#files.set(path, joined(this.#files.get(path), change));
    if (this.#files.size > MAX_CHANGES) this.addAll();
  }

  addAll(): void {
    this.#all = true;
    this.#files.clear();
  }

  /** Gives what changed since the last time; the first time, everything. */
  take(): Changes {
    const changes = { files: this.#files, all: this.#all };
    this.#files = new Map();
    this.#all = false;
    return changes;
  }
}

/** Two changes of a file as one. */
function joined(before: FileChange | undefined, now: FileChange): FileChange {
  if (before === 'created' && now === 'changed') return 'created';
  return before === 'deleted' && now === 'created' ? 'changed' : now;
}
