/** Names that events told of, in all folders together; beyond, every name may have changed. */
const MAX_NAMES = 50_000;

/** The names of a folder that may stand for something else now. */
export interface ChangedNames {
  has(name: string): boolean;
}

const EVERY_NAME: ChangedNames = { has: () => true };

/** What events told of since it was last looked at. */
export interface Pending {
  /** Folders in which names came or went. */
  readonly names: ReadonlyMap<string, ChangedNames>;
  /** How many events told of contents. */
  readonly contents: number;
  /** The files whose contents changed; undefined where these are too many. */
  readonly allContents: ReadonlySet<string> | undefined;
}

/** Collects events until there is time for them, in bounded memory. */
export class PendingChanges {
  #names = new Map<string, Set<string> | undefined>();
  #contents = 0;
  #files = new Set<string>();
  #kept = 0;

  /** @param name undefined where any may be meant */
  addNames(path: string, name: string | undefined): void {
    const names = this.#names.get(path);
    if (names === undefined && this.#names.has(path)) return;
    if (name === undefined || this.#kept >= MAX_NAMES) {
      this.#names.set(path, undefined);
      return;
    }
    this.#kept += 1;
    if (names === undefined) this.#names.set(path, new Set([name]));
    else names.add(name);
  }

  /** @param isWanted whether anybody asks for the path */
  addContent(path: string, isWanted: boolean): void {
    this.#contents += 1;
    if (isWanted && this.#files.size <= MAX_NAMES) this.#files.add(path);
  }

  take(): Pending {
    const names = new Map([...this.#names].map(([path, set]): [string, ChangedNames] => [path, set ?? EVERY_NAME]));
    const pending = { names, contents: this.#contents, allContents: this.#files.size > MAX_NAMES ? undefined : this.#files };
    this.clear();
    return pending;
  }

  clear(): void {
    this.#names = new Map();
    this.#contents = 0;
    this.#files = new Set();
    this.#kept = 0;
  }
}
