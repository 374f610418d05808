import * as z from 'zod';
import { count } from '../text/amounts.ts';
import type { ChangesParser, FileChange } from './parse-changes.ts';
import { CHANGES, type Change } from './parse-status.ts';
import type { Repository } from './repository.ts';

/** What happened to a file, in a word. */
export const ChangeKind = z.enum(Object.values(CHANGES));

/** A file of a diff, for programs. */
export const ChangedFile = z.strictObject({
  path: z.string(),
  from: z.string().optional(),
  status: ChangeKind,
  added: z.int().nullable(),
  removed: z.int().nullable(),
  binary: z.boolean(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** Sums over a diff. */
export const ChangeTotals = z.strictObject({ files: z.int(), added: z.int(), removed: z.int() });

const LETTERS = Object.fromEntries(Object.entries(CHANGES).map(([letter, change]) => [change, letter])) as Record<Change, string>;

/** The letter that git, and every model, knows a change by. */
export function letterOf(change: Change): string {
  return LETTERS[change];
}

/** `new` or `old -> new`. */
export function movedPath({ path, from }: { path: string; from?: string | undefined }): string {
  return from === undefined ? path : `${from} -> ${path}`;
}

/** The files of a diff with their names as every tool takes them. */
export function changedFiles(repository: Repository, files: readonly FileChange[]): ChangedFile[] {
  return files.map(({ path, from, status, added, removed }) => ({
    path: repository.display(path),
    ...(from === undefined ? {} : { from: repository.display(from) }),
    status,
    added: added ?? null,
    removed: removed ?? null,
    binary: added === undefined && status !== 'unmerged',
  }));
}

/** One line a file: letter, counts, name. */
export function changeLines(files: readonly ChangedFile[]): string {
  return files
    .map(
      (file) =>
        `${letterOf(file.status)} ${file.added === null ? (file.binary ? 'binary' : '-') : `+${file.added} -${file.removed}`} ${movedPath(file)}\n`,
    )
    .join('');
}

/** A diff in one line, such as `2 files, +10 -3`. */
export function changeSummary({ files, added, removed }: ChangesParser['totals']): string {
  return files === 0 ? 'no changes' : `${count(files, 'file')}, +${added} -${removed}`;
}

/** The same as a sentence, for a diff that may not have come to its end. */
export function changeNote(totals: ChangesParser['totals'], complete: boolean): string {
  return complete ? `${changeSummary(totals)}.` : `${changeSummary(totals)} until the deadline came: this is a part.`;
}
