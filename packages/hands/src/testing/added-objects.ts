import { isObjectPath } from '../git-format/object-path.ts';

/** Entries by path, without the objects of git that an undo leaves: those that were not there before. */
export function withoutAddedObjects<Entry>(
  entries: Readonly<Record<string, Entry>>,
  before: Readonly<Record<string, unknown>>,
): Readonly<Record<string, Entry>> {
  return Object.fromEntries(Object.entries(entries).filter(([path]) => path in before || !isObjectPath(path)));
}
