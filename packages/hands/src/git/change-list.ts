import * as z from 'zod';
import { count } from '../text/amounts.ts';
import type { ChangesParser, FileChange } from './parse-changes.ts';
import { CHANGES, type Change } from './parse-status.ts';
import type { Repository } from './repository.ts';

/** What happened to a file. */
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

/** Totals of a diff. */
export const ChangeTotals = z.strictObject({ files: z.int(), added: z.int(), removed: z.int() });

const LETTERS = Object.fromEntries(Object.entries(CHANGES).map(([letter, change]) => [change, letter])) as Record<Change, string>;

/** Returns git's letter for a change, which models know. */
export function letterOf(change: Change): string {
  return LETTERS[change];
}

/** Formats a path as `new` or `old -> new`. */
export function movedPath({ path, from }: { path: string; from?: string | undefined }): string {
  return from === undefined ? path : `${from} -> ${path}`;
}

/** Converts the files of a diff, with paths that every tool accepts. */
export function changedFiles(repository: Repository, files: readonly FileChange[]): ChangedFile[] {
  return files.map(({ path, from, status, added, removed }) => ({
    path: repository.displayChange(path),
    ...(from === undefined ? {} : { from: repository.displayChange(from) }),
    status,
    added: added ?? null,
    removed: removed ?? null,
    binary: added === undefined && status !== 'unmerged',
  }));
}

/** Formats one line per file: letter, counts, name. */
export function changeLines(files: readonly ChangedFile[]): string {
  return files
    .map(
      (file) =>
        `${letterOf(file.status)} ${file.added === null ? (file.binary ? 'binary' : '-') : `+${file.added} -${file.removed}`} ${movedPath(file)}\n`,
    )
    .join('');
}

/** Summarizes a diff in one line, such as `2 files, +10 -3`. */
export function changeSummary({ files, added, removed }: ChangesParser['totals']): string {
  return files === 0 ? 'no changes' : `${count(files, 'file')}, +${added} -${removed}`;
}

/** Summarizes a diff, which may be incomplete, as a sentence. */
export function changeNote(totals: ChangesParser['totals'], complete: boolean): string {
  return complete ? `${changeSummary(totals)}.` : `${changeSummary(totals)} until the deadline came: this is a part.`;
}
