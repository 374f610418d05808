import { changeOf, type Change } from './parse-status.ts';
import { RecordSplitter } from '../text/record-splitter.ts';

/** One file of a diff; paths are git's bytes. */
export interface FileChange {
  readonly path: Buffer;
  readonly from?: Buffer;
  readonly status: Change;
  /** Undefined for a binary file. */
  readonly added?: number;
  readonly removed?: number;
}

/** Maximum number of files listed individually. */
const MAX_FILES = 5_000;

const COMBINED = '::';
const SLASH = 0x2f;

/** Totals over all files of a diff, including those not listed individually. */
export interface ChangeTotals {
  files: number;
  added: number;
  removed: number;
}

/**
 * Parses the stream of `git diff -z --raw --numstat [--patch]`: raw records, then counts, an empty record,
 * and the patch. The patch is passed on unchanged, or not at all if one of its files may not be shown:
 * the repository wrote the text, so it is no reliable source for which lines belong to which file.
 */
export class ChangesParser {
  readonly totals: ChangeTotals = { files: 0, added: 0, removed: 0 };
  /** Number of files whose content may not be shown. */
  withheld = 0;
  readonly #raw: Array<{ path: Buffer; from?: Buffer; status: Change; counted: boolean; repeated: boolean; shown: boolean }> = [];
  readonly #counts: Array<Pick<FileChange, 'added' | 'removed'>> = [];
  readonly #splitter = new RecordSplitter((record) => this.#take(record));
  readonly #onPatch: (chunk: Buffer) => void;
  readonly #mayShow: (path: Buffer) => boolean;
  #letter: string | undefined;
  #from: Buffer | undefined;
  #pathsToSkip = 0;
  #inPatch = false;

  constructor(onPatch: (chunk: Buffer) => void = () => {}, mayShow: (path: Buffer) => boolean = () => true) {
    this.#onPatch = onPatch;
    this.#mayShow = mayShow;
  }

  write(chunk: Buffer): void {
    const patch = this.#inPatch ? chunk : this.#splitter.write(chunk, () => this.#inPatch);
    if (this.#inPatch && patch.length > 0 && this.withheld === 0) this.#onPatch(patch);
  }

  /** Whether a patch has begun that is not passed on. */
  get withholdsPatch(): boolean {
    return this.#inPatch && this.withheld > 0;
  }

  /** Names of the files that may be shown, including the old names of renamed files. */
  get shownNames(): Buffer[] {
    return this.#raw.flatMap(({ path, from, shown }) => (shown ? [path, ...(from === undefined ? [] : [from])] : []));
  }

  /** The files of the diff that are listed individually. */
  get files(): FileChange[] {
    const files: FileChange[] = [];
    let next = 0;
    for (const { counted, repeated, shown: _shown, ...file } of this.#raw) {
      const counts = counted ? this.#counts[next++] : {};
      // The counts of a file with conflicts do not compare two known states.
      if (!repeated) files.push(file.status === 'unmerged' ? file : { ...file, ...counts });
    }
    return files;
  }

  /** Paths of shown files with conflicts. With the raw form, git omits their three-way patches. */
  get combined(): Buffer[] {
    const hidden = this.#raw.filter(({ shown }) => !shown);
    // Some withheld files are not known by name.
    if (hidden.length < this.withheld) return [];
    // A path argument also covers everything below it, and a file and a folder can conflict over one name.
    const holdsHidden = (folder: Buffer): boolean =>
      hidden.some(({ path }) => path[folder.length] === SLASH && path.subarray(0, folder.length).equals(folder));
    return this.#raw.filter(({ counted, shown, path }) => !counted && shown && !holdsHidden(path)).map(({ path }) => path);
  }

  #take(record: Buffer): void {
    if (this.#letter !== undefined) this.#takeRawPath(record, this.#letter);
    else if (this.#pathsToSkip > 0) this.#pathsToSkip -= 1;
    else if (record.length === 0) this.#inPatch = true;
    else if (record[0] === 0x3a) {
      // `:old-mode new-mode old-id new-id M` or R086, followed by one path or two. Two colons begin a
      // file with conflicts, which has one letter per side and one path.
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
    // Without a patch, a file with conflicts is listed twice, the second time against one side.
    const repeated = last?.status === 'unmerged' && last.path.equals(path);
    if (!repeated) this.totals.files += 1;
    // The old name counts too: the lines belong to both.
    const shown = this.#mayShow(path) && (this.#from === undefined || this.#mayShow(this.#from));
    if (!shown && !repeated) this.withheld += 1;
    if (this.#raw.length < MAX_FILES) {
      const status = letter === COMBINED ? 'unmerged' : (changeOf(letter) ?? 'modified');
      this.#raw.push({ path, status, counted: letter !== COMBINED, repeated, shown, ...(this.#from === undefined ? {} : { from: this.#from }) });
    }
    this.#letter = undefined;
    this.#from = undefined;
  }

  /** Parses `added TAB removed TAB path`, with dashes for a binary file; a rename has an empty path, followed by two paths. */
  #takeCounts(record: Buffer): void {
    const [added = '-', removed = '-', ...path] = record.toString('latin1').split('\t');
    if (path.join('\t') === '') this.#pathsToSkip = 2;
    const counts = added === '-' ? {} : { added: Number(added), removed: Number(removed) };
    this.totals.added += counts.added ?? 0;
    this.totals.removed += counts.removed ?? 0;
    if (this.#counts.length < MAX_FILES) this.#counts.push(counts);
  }
}
