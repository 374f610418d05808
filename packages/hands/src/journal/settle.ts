import { unlinkSync } from 'node:fs';
import { displayPath } from '../workspace/byte-name.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { temporaryOwner } from '../workspace/temporary-name.ts';
import { applyStep, exchange, statAt, stateOf, type StepPowers } from './apply-step.ts';
import type { JournalDatabase, JournalEntry } from './journal-database.ts';
import { dropSecondName, isSwap } from './swap-entry.ts';
import { breakIndexLocks } from './index-locks.ts';
import { areasOf, markApplied } from './kept-areas.ts';
import { namesBelow } from './names-below.ts';
import { inverse, placesOf, type Step } from './step.ts';

/** The steps of an entry that have happened, by what was written down and what is there. */
function happened(powers: StepPowers, { steps, progress }: JournalEntry): Step[] {
  const isDone = (step: Step): boolean => ['after', 'both'].includes(stateOf(powers, step));
  if (progress === null) return steps.filter(isDone);
  // One by one: all but the last that was begun are known to stand.
  const last = steps[progress - 1];
  return [...steps.slice(0, Math.max(0, progress - 1)), ...(last !== undefined && isDone(last) ? [last] : [])];
}

/** Removes what a killed process wrote beside the places of its files. */
function sweep({ confinement }: StepPowers, { steps, process }: JournalEntry): void {
  const [pid = ''] = process.split(' ');
  // The number may belong to another process by now, which may be writing this very moment.
  if (isRunning(pid) !== false) return;
  const folders = new Map(steps.flatMap(placesOf).map((place) => [displayPath(place.slice(0, -1)), place.slice(0, -1)]));
  for (const folder of folders.values()) {
    for (const name of namesBelow(confinement, folder)) {
      if (temporaryOwner(name) !== pid) continue;
      using directory = confinement.openDirectory(folder);
      unlinkSync(directory.at(name));
    }
  }
}

/** What came of a change: it stands, or it does not, or some of it could not be taken back. */
export type SettledEntry = 'finished' | 'taken back' | 'partly';

/**
 * Decides what came of a change that nobody saw the end of. All of it stands: it is done. Anything less
 * is taken back, so that nothing is left half changed; what something else changed meanwhile stays as it is.
 */
export function settle(powers: StepPowers, database: JournalDatabase, entry: JournalEntry): SettledEntry {
  sweep(powers, entry);
  breakIndexLocks(powers.confinement, entry.steps);
  const done = happened(powers, entry);
  // All of a move but its end: its file has both names. Of an exchange: neither side is there.
  const isHalf = (step: Step): boolean => (step.kind === 'move' || isSwap(step)) && stateOf(powers, step) === 'both';
  if (done.length === entry.steps.length && !done.some(isHalf)) {
    for (const area of areasOf(entry.steps)) markApplied(powers.areas, area);
    database.finish(entry);
    return 'finished';
  }
  for (const step of entry.steps) if (isSwap(step) && !done.includes(step)) dropSecondName(powers, step, statAt(powers, step));
  const stuck: Step[] = [];
  for (const step of done.toReversed()) {
    try {
      const back = inverse(step);
      if (isSwap(back)) exchange(powers, back);
      else applyStep(powers, back);
    } catch {
      // Something else is there by now, or what was there is not kept: it remains to be seen in the journal.
      stuck.unshift(step);
    }
  }
  // What was put back is as it was, whatever its ctime says.
  database.successors.flush();
  if (stuck.length === 0) {
    database.drop(entry.id);
    return 'taken back';
  }
  database.trim(entry.id, stuck);
  database.finish({ ...entry, undoes: [] });
  return 'partly';
}
