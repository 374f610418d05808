import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BlobStore } from '../journal/blob-store.ts';
import { JournalDatabase, type JournalEntry } from '../journal/journal-database.ts';
import { workspaceId } from '../state/state-folder.ts';
import { keptText } from '../tree/kept-texts.ts';
import { listingReader } from '../tree/tree-files.ts';
import { TreeStore } from '../tree/tree-store.ts';
import { once } from '../events/timing.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { FileTexts, MAX_BYTES } from './file-texts.ts';
import type { FindCall } from './line-facts.ts';
import { WrittenFile } from './written-file.ts';

/** What is on record of the changes in a workspace, or in a branch of it. */
export class ChangeHistory implements Disposable {
  /** All changes, newest first. */
  readonly entries: readonly JournalEntry[];
  /** Whether no earlier change is missing because an entry is damaged. */
  readonly isWhole: boolean;
  readonly texts: FileTexts;
  readonly #database: JournalDatabase;
  readonly #applied = new Map<string, WrittenFile | undefined>();

  /** @returns undefined if nothing is on record */
  static open(stateFolder: string, root: string, find: FindCall): ChangeHistory | undefined {
    const folder = join(stateFolder, 'journal', workspaceId(root));
    return existsSync(join(folder, 'journal.db')) ? new ChangeHistory(folder, stateFolder, root, find) : undefined;
  }

  private constructor(folder: string, stateFolder: string, root: string, find: FindCall) {
    this.#database = new JournalDatabase(join(folder, 'journal.db'));
    const { entries, isWhole } = this.#database.readable();
    this.entries = entries;
    this.isWhole = isWhole;
    const blobs = new BlobStore(join(folder, 'content'));
    const listings = once(() => new TreeStore(stateFolder, root).reader());
    this.texts = new FileTexts({
      powers: { areas: join(stateFolder, 'transactions', workspaceId(root)), inodeMap: this.#database.inodeMap, blobs },
      entries: this.entries,
      find,
      listing: listingReader((sum) => listings()(sum)),
      kept: (sum) => keptText(stateFolder, root, sum) ?? short(blobs.read(sum)),
      applied: ({ id }, place) => this.#appliedAt(id, bytePath(place)),
    });
  }

  /** The branch that a change applied. */
  branchOf(entry: number): WrittenFile['branch'] {
    for (const [key, file] of this.#applied) if (key.startsWith(`${entry}/`) && file !== undefined) return file.branch;
    return undefined;
  }

  [Symbol.dispose](): void {
    this.#database[Symbol.dispose]();
  }

  #appliedAt(entry: number, path: string): WrittenFile | undefined {
    const key = `${entry}/${path}`;
    if (this.#applied.has(key)) return this.#applied.get(key);
    const text = this.#database.writtenIn(entry, path);
    const data = text === undefined ? undefined : readWritten(text);
    this.#applied.set(key, data);
    return data;
  }
}

/** Undefined for a damaged one. Its lines are then those of the call that applied it. */
function readWritten(text: string): WrittenFile | undefined {
  try {
    return WrittenFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const short = (bytes: Buffer | undefined): string | undefined => (bytes === undefined || bytes.length > MAX_BYTES ? undefined : bytes.toString());
