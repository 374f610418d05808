import type { NameUse } from '../syntax/read-uses.ts';
import type { EditedFile } from './edited-file.ts';

/** A place where the old name stands and stays. */
export interface Untouched {
  readonly path: string;
  readonly line: number;
  /** `name`: as a part of another name; `text`: in a file that is no code of the language. */
  readonly as: NameUse['as'] | 'name' | 'text';
}

/** A rename that was found to be possible, and is not done yet. */
export class RenamePlan {
  readonly name: string;
  readonly to: string;
  readonly files: readonly EditedFile[];
  readonly untouched: readonly Untouched[];
  readonly notes: readonly string[];

  constructor({ name, to, files, untouched, notes }: Pick<RenamePlan, 'name' | 'to' | 'files' | 'untouched' | 'notes'>) {
    this.name = name;
    this.to = to;
    this.files = files;
    this.untouched = untouched;
    this.notes = notes;
  }
}
