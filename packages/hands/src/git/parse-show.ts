import { ChangesParser } from './parse-changes.ts';
import { commitOf, type Commit } from './parse-log.ts';
import { RecordSplitter } from './record-splitter.ts';

const FIELDS = 7;
const NEWLINE = 0x0a;

/** Reads `git show` of a commit as it streams: its fields, an empty record, then its changes. */
export class ShowParser {
  readonly changes: ChangesParser;
  readonly #fields: string[] = [];
  readonly #splitter = new RecordSplitter((record) => this.#fields.push(record.toString('utf8')));
  #atStart = true;

  constructor(onPatch?: (chunk: Buffer) => void, mayShow?: (path: Buffer) => boolean) {
    this.changes = new ChangesParser(onPatch, mayShow);
  }

  get commit(): Commit {
    return commitOf(this.#fields);
  }

  write(chunk: Buffer): void {
    // The fields and the empty record that ends the format.
    const done = (): boolean => this.#fields.length > FIELDS;
    let rest = done() ? chunk : this.#splitter.write(chunk, done);
    if (rest.length === 0) return;
    // A newline parts the format from the changes.
    if (this.#atStart && rest[0] === NEWLINE) rest = rest.subarray(1);
    this.#atStart = false;
    if (rest.length > 0) this.changes.write(rest);
  }
}
