import { loadPath, placesOf, type SetStep } from '../workspace/changes/step.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { foundIn } from './inode-map.ts';
import type { JournalDatabase, JournalEntry } from './journal-database.ts';

/** Whether an entry of the workspace that an undo put back is the one that was there at a time, in nanoseconds since 1970. */
export type AsFound = (location: WorkspacePath, since: bigint) => boolean;

/** What calls did since a time. */
interface Since {
  readonly entries: readonly JournalEntry[];
  /** What was there before the time, and was undone or done again since. */
  readonly undone: readonly JournalEntry[];
}

/** Whether a place is another one, around it, or in it. */
function touches(place: WorkspacePath, location: WorkspacePath): boolean {
  const [one, other] = [`${bytePath(place)}/`, `${bytePath(location)}/`];
  return one.startsWith(other) || other.startsWith(one);
}

const touchesIt = ({ steps }: JournalEntry, location: WorkspacePath): boolean =>
  steps.some((step) => placesOf(step).some((place) => touches(place, location)));

/**
 * Tells from a journal what undos put back: what a call replaced, another program may have made after the time, or another call that was not
 * undone. For one plan, because it remembers what it read. Where the journal does not know, the entry counts as another one.
 */
export function asFoundIn(database: Pick<JournalDatabase, 'doneSince' | 'undoneAcross'>): AsFound {
  const known = new Map<bigint, Since>();
  const read = (since: bigint): Since => {
    const time = Number(since / 1_000_000n);
    const found = known.get(since) ?? { entries: database.doneSince(time), undone: database.undoneAcross(time) };
    known.set(since, found);
    return found;
  };
  return (location, since) => {
    const { entries, undone } = read(since);
    if (undone.some((entry) => touchesIt(entry, location))) return false;
    const touching = entries.filter((entry) => touchesIt(entry, location));
    if (touching.some(({ undoes, undone_by: by }) => undoes.length === 0 && by === null)) return false;
    const path = bytePath(location);
    const isIt = (step: JournalEntry['steps'][number]): step is SetStep => step.kind === 'set' && bytePath(loadPath(step.path)) === path;
    const first = touching.flatMap(({ steps }) => steps).find((step) => placesOf(step).some((place) => touches(place, location)));
    // A change that was killed, and taken back at once: it is in no journal.
    if (first === undefined) return true;
    if (!isIt(first)) return false;
    const { changed } = first.before === null ? {} : foundIn(first.before);
    return changed !== undefined && BigInt(changed) < since;
  };
}
