import { changeOf, type Change } from './parse-status.ts';

/** A commit; text is UTF-8 as git converted it, paths are git's bytes. */
export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  /** ISO 8601 with the author's own zone; empty where the commit tells none that git can read, such as one before 1970. */
  readonly date: string;
  /** Branches and tags that name it. */
  readonly refs: readonly string[];
  readonly message: string;
  /** The first of them; see {@link fileCount}. */
  readonly files: Array<{ path: Buffer; from?: Buffer; status: Change }>;
  fileCount: number;
}

const FIELDS = 7;
/** Files told of one commit; an import of a whole project has many more. */
const MAX_FILES = 500;
const COMMIT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u;

/** Makes a commit of the fields that `COMMIT_FORMAT` of git-arguments.ts asks for. */
export function commitOf(fields: readonly string[]): Commit {
  const [sha = '', parents = '', author = '', email = '', date = '', refs = '', message = ''] = fields;
  return {
    sha,
    parents: parents.split(' ').filter((id) => id !== ''),
    author,
    email,
    // What git cannot write it leaves as the placeholder.
    date: date === '%aI' ? '' : date,
    refs: refs.split(', ').filter((name) => name !== ''),
    // As git shows it: the subject is the first line that is not blank.
    message: message.replace(/^(?:[^\S\n]*\n)+/u, '').trimEnd(),
    files: [],
    fileCount: 0,
  };
}

/**
 * Reads `git log -z` with the commit format and perhaps `--name-status`, record by record. After the
 * fields of a commit come an empty record and its files; a file's letter is never as long as an id.
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
    // The separator's newline stands before the first letter.
    const letter = text.trim().slice(0, 1);
    if (letter !== '') this.#letter = letter;
  };

  /** Gives out the last commit. */
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
