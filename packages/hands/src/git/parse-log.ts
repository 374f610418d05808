import { changeOf, type Change } from './parse-status.ts';

/** A commit; text is UTF-8 as git converted it, paths are git's bytes. */
export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  /** ISO 8601 in the author's time zone; empty if git cannot read the commit's date, for example one before 1970. */
  readonly date: string;
  /** Branches and tags that point to it. */
  readonly refs: readonly string[];
  readonly message: string;
  /** The first files; see {@link fileCount}. */
  readonly files: Array<{ path: Buffer; from?: Buffer; status: Change }>;
  fileCount: number;
}

const FIELDS = 7;
/** Maximum number of files listed per commit; an import of a whole project has many more. */
const MAX_FILES = 500;
const COMMIT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;

/** Creates a commit from the fields of `COMMIT_FORMAT` in git-arguments.ts. */
export function commitOf(fields: readonly string[]): Commit {
  const [sha = '', parents = '', author = '', email = '', date = '', refs = '', message = ''] = fields;
  return {
    sha,
    parents: parents.split(' ').filter((id) => id !== ''),
    author,
    email,
    // git leaves the placeholder if it cannot format the date.
    date: date === '%aI' ? '' : date,
    refs: refs.split(', ').filter((name) => name !== ''),
    // As in git: the subject is the first line that is not blank.
    message: message.replace(/^(?:[^\S\n]*\n)+/u, '').trimEnd(),
    files: [],
    fileCount: 0,
  };
}

/**
 * Parses `git log -z` with the commit format, optionally with `--name-status`, record by record. The fields
 * of a commit are followed by an empty record and its files; a file's letter is never as long as an ID.
 */
export class LogParser {
  readonly #onCommit: (commit: Commit) => void;
  #fields: string[] = [];
  #commit: Commit | undefined;
  #letter: string | undefined;
  #from: Buffer | undefined;

  constructor(onCommit: (commit: Commit) => void) {
    this.#onCommit = onCommit;
  }

  readonly take = (record: Buffer): void => {
    if (this.#letter !== undefined) {
      this.#takePath(record, this.#letter);
      return;
    }
    const text = record.toString('utf8');
    if (this.#fields.length > 0 || COMMIT_ID.test(text)) {
      if (this.#fields.length === 0) this.end();
      this.#fields.push(text);
      if (this.#fields.length < FIELDS) return;
      this.#commit = commitOf(this.#fields);
      this.#fields = [];
      return;
    }
    // The separator's newline precedes the first letter.
    const letter = text.trim().slice(0, 1);
    if (letter !== '') this.#letter = letter;
  };

  /** Emits the last commit. */
  end(): void {
    if (this.#commit !== undefined) this.#onCommit(this.#commit);
    this.#commit = undefined;
  }

  #takePath(path: Buffer, letter: string): void {
    if ((letter === 'R' || letter === 'C') && this.#from === undefined) {
      this.#from = path;
      return;
    }
    const commit = this.#commit;
    if (commit !== undefined) {
      commit.fileCount += 1;
      const file = { path, status: changeOf(letter) ?? 'modified', ...(this.#from === undefined ? {} : { from: this.#from }) };
      if (commit.files.length < MAX_FILES) commit.files.push(file);
    }
    this.#letter = undefined;
    this.#from = undefined;
  }
}
