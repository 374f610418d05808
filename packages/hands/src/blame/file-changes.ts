import type { JournalEntry } from '../journal/journal-database.ts';
import { type Image, isSwap, loadPath, type SetStep } from '../workspace/changes/step.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';

/** A file that a step changes: the entry of the step, or a file in a folder that it exchanges as a whole. */
export interface ChangedFile {
  readonly step: SetStep;
  /** The place in that folder; empty if the file is the entry itself. */
  readonly rest: WorkspacePath;
}

/** A change of a file, which may have had another name before. */
export interface FileChange {
  readonly entry: JournalEntry;
  readonly before: ChangedFile;
  readonly after: ChangedFile;
}

export const placeOf = ({ step, rest }: ChangedFile): WorkspacePath => [...loadPath(step.path), ...rest];

/** Finds the file in one of the entries of a change that had another name before. */
export type FindMoved = (entry: JournalEntry, made: ChangedFile) => ChangedFile | undefined;

const isFolder = (image: Image | null): boolean => image?.type === 'folder';

/** The file of a step at a place; undefined if the step does not change it. */
function fileIn(step: SetStep, names: readonly string[], place: WorkspacePath): ChangedFile | undefined {
  const { path } = step;
  if (path.length > place.length || path.some((name, at) => (typeof name === 'string' ? name : `\0${name.hex}`) !== names[at])) return undefined;
  if (path.length === place.length) return { step, rest: [] };
  // A folder that stays has steps of its own for what is in it.
  return isSwap(step) && (isFolder(step.before) || isFolder(step.after)) ? { step, rest: place.slice(path.length) } : undefined;
}

/** The names of a place as texts that can be compared: no name has a zero byte. */
const stored = (place: WorkspacePath): string[] => place.map((name) => (typeof name === 'string' ? name : `\0${name.toString('hex')}`));

/** Whether a file was put where none was. */
export const isMade = ({ step, rest }: ChangedFile): boolean =>
  step.after !== null && (step.before === null || (rest.length > 0 && !isFolder(step.before))) && (rest.length === 0 || isFolder(step.after));

/** The changes of a file under all of its names, oldest first. @param entries newest first */
export function changesOf(
  entries: readonly JournalEntry[],
  path: WorkspacePath,
  findMoved: FindMoved,
): { readonly changes: FileChange[]; /** Its name before the first one. */ readonly name: WorkspacePath } {
  const changes: FileChange[] = [];
  let place = path;
  let names = stored(place);
  for (const entry of entries) {
    let moved: WorkspacePath | undefined;
    for (let at = entry.steps.length - 1; at >= 0; at -= 1) {
      const step = entry.steps[at];
      if (step === undefined) continue;
      if (step.kind === 'move') {
        const [key, to] = [bytePath(place), bytePath(loadPath(step.to))];
        if (key !== to && !key.startsWith(`${to}/`)) continue;
        place = [...loadPath(step.from), ...place.slice(step.to.length)];
        names = stored(place);
        continue;
      }
      const after = fileIn(step, names, place);
      if (after === undefined) continue;
      const before = isMade(after) ? findMoved(entry, after) : undefined;
      changes.push({ entry, before: before ?? after, after });
      if (before !== undefined) moved = placeOf(before);
    }
    if (moved === undefined) continue;
    place = moved;
    names = stored(place);
  }
  return { changes: changes.toReversed(), name: place };
}
