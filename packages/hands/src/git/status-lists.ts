import * as z from 'zod';
import { ChangeKind } from './change-list.ts';
import { CONFLICTS, type StatusEntry } from './parse-status.ts';
import { lstatSync } from 'node:fs';
import type { PinnedDirectory } from '../workspace/confinement.ts';

/** Maximum number of entries listed over all lists; the counts are always complete. */
const MAX_ENTRIES = 2_000;

const Changed = z.strictObject({ path: z.string(), from: z.string().optional(), status: ChangeKind });
export type Changed = z.infer<typeof Changed>;

/** The lists of a status, for programs. */
export const STATUS_LISTS = {
  staged: z.array(Changed),
  unstaged: z.array(Changed),
  untracked: z.array(z.string()),
  conflicted: z.array(z.strictObject({ path: z.string(), conflict: z.enum(Object.values(CONFLICTS)) })),
};
export const StatusCounts = z.strictObject({ staged: z.int(), unstaged: z.int(), untracked: z.int(), conflicted: z.int() });
type Lists = { [List in keyof typeof STATUS_LISTS]: z.infer<(typeof STATUS_LISTS)[List]> };

/** Sorts the entries of a status into lists, in bounded memory. */
export class StatusLists {
  readonly lists: Lists = { staged: [], unstaged: [], untracked: [], conflicted: [] };
  readonly counts = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };
  readonly #display: (path: Buffer) => string;
  #shown = 0;

  constructor(display: (path: Buffer) => string) {
    this.#display = display;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, amount) => sum + amount);
  }

  get shown(): number {
    return this.#shown;
  }

  readonly add = (entry: StatusEntry): void => {
    if (entry.kind === 'untracked') {
      if (this.#count('untracked')) this.lists.untracked.push(this.#display(entry.path));
    } else if (entry.kind === 'conflicted') {
      if (this.#count('conflicted')) this.lists.conflicted.push({ path: this.#display(entry.path), conflict: entry.conflict });
    } else {
      for (const list of ['staged', 'unstaged'] as const) {
        const status = entry[list];
        if (status === undefined || !this.#count(list)) continue;
        const moved = status === 'renamed' || status === 'copied';
        const from = moved && entry.from !== undefined ? { from: this.#display(entry.from) } : {};
        this.lists[list].push({ path: this.#display(entry.path), ...from, status });
      }
    }
  };

  /** Counts an entry; returns whether it can be listed. */
  #count(list: keyof Lists): boolean {
    this.counts[list] += 1;
    if (this.#shown >= MAX_ENTRIES) return false;
    this.#shown += 1;
    return true;
  }
}

/** Files in `.git` that mark an unfinished operation; the first existing one counts. */
const MARKS = [
  // A rebase stops at picks that have their own marks, so it comes first.
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

export const OPERATIONS = ['merge', 'rebase', 'am', 'cherry-pick', 'revert', 'bisect'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Returns the unfinished operation of a repository. */
export function operationInProgress(ownFolder: PinnedDirectory): Operation | undefined {
  return MARKS.find(([mark]) => lstatSync(ownFolder.at(mark), { throwIfNoEntry: false }) !== undefined)?.[1];
}
