import { changeOf, type Change } from './parse-status.ts';
import { RecordSplitter } from './record-splitter.ts';

/** One file of a diff; paths are git's bytes. */
export interface FileChange {
  readonly path: Buffer;
  readonly from?: Buffer;
  readonly status: Change;
  /** Undefined for a binary file. */
  readonly added?: number;
  readonly removed?: number;
}

/** How many files of a diff are told one by one. */
const MAX_FILES = 5_000;

const COMBINED = '::';

/** Sums over all files of a diff, also those not told one by one. */
export interface ChangeTotals {
  files: number;
  added: number;
  removed: number;
}

/**
 * Reads `git diff -z --raw --numstat [--patch]` as it streams: records of the raw form, then counts, an
 * empty record, and then the patch, which is passed on as it is.
 */
export class ChangesParser {
  readonly totals: ChangeTotals = { files: 0, added: 0, removed: 0 };
  readonly #raw: Array<{ path: Buffer; from?: Buffer; status: Change; counted: boolean; repeated: boolean }> = [];
  readonly #counts: Array<Pick<FileChange, 'added' | 'removed'>> = [];
  readonly #splitter = new RecordSplitter((record) => this.#take(record));
  readonly #onPatch: (chunk: Buffer) => void;
  #letter: string | undefined;
  #from: Buffer | undefined;
  #pathsToSkip = 0;
  #inPatch = false;

  constructor(onPatch: (chunk: Buffer) => void = () => {}) {
    this.#onPatch = onPatch;
  }

  write(chunk: Buffer): void {
    const patch = this.#inPatch ? chunk : this.#splitter.write(chunk, () => this.#inPatch);
    if (this.#inPatch && patch.length > 0) this.#onPatch(patch);
  }

  /** The files of the diff, as many as are told one by one. */
  get files(): FileChange[] {
    const files: FileChange[] = [];
    let next = 0;
    for (const { counted, repeated, ...file } of this.#raw) {
      const counts = counted ? this.#counts[next++] : {};
      // The counts of a file with conflicts are of no two states that a reader could know.
      if (!repeated) files.push(file.status === 'unmerged' ? file : { ...file, ...counts });
    }
    return files;
  }

  /** Paths of files with conflicts whose three-sided patch git leaves out beside the raw form. */
  get combined(): Buffer[] {
    return this.#raw.filter(({ counted }) => !counted).map(({ path }) => path);
  }

  #take(record: Buffer): void {
    if (this.#letter !== undefined) this.#takeRawPath(record, this.#letter);
    else if (this.#pathsToSkip > 0) this.#pathsToSkip -= 1;
    else if (record.length === 0) this.#inPatch = true;
    else if (record[0] === 0x3a) {
      // `:old-mode new-mode old-id new-id M` or R086, followed by one path or two. Two colons begin a
      // file with conflicts, which has a letter for each side and one path.
      const letters = record.subarray(record.lastIndexOf(0x20) + 1).toString('latin1');
      this.#letter = record[1] === 0x3a ? COMBINED : letters.slice(0, 1);
    } else this.#takeCounts(record);
  }

  #takeRawPath(path: Buffer, letter: string): void {
    if ((letter === 'R' || letter === 'C') && this.#from === undefined) {
      this.#from = path;
      return;
    }
    const last = this.#raw.at(-1);
    // Without a patch a file with conflicts is told twice, the second time against one side.
    const repeated = last?.status === 'unmerged' && last.path.equals(path);
    if (!repeated) this.totals.files += 1;
    if (this.#raw.length < MAX_FILES) {
      const status = letter === COMBINED ? 'unmerged' : (changeOf(letter) ?? 'modified');
      this.#raw.push({ path, status, counted: letter !== COMBINED, repeated, ...(this.#from === undefined ? {} : { from: this.#from }) });
    }
    this.#letter = undefined;
    this.#from = undefined;
  }

  /** `added TAB removed TAB path`, with dashes for a binary file; a rename has an empty path and two that follow. */
  #takeCounts(record: Buffer): void {
    const [added = '-', removed = '-', ...path] = record.toString('latin1').split('\t');
    if (path.join('\t') === '') this.#pathsToSkip = 2;
    const counts = added === '-' ? {} : { added: Number(added), removed: Number(removed) };
    this.totals.added += counts.added ?? 0;
    this.totals.removed += counts.removed ?? 0;
    if (this.#counts.length < MAX_FILES) this.#counts.push(counts);
  }
}
