import { lstatSync, unlinkSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isRunning, temporaryOwner } from '../workspace/process-identity.ts';
import { applyStep, exchange, statAt, stateOf, tidyExchange, type StepPowers } from './apply-step.ts';
import type { JournalDatabase, JournalEntry } from './journal-database.ts';
import { dropSecondName } from './swap-entry.ts';
import { breakIndexLocks } from './git-index.ts';
import { areasOf, markApplied } from './kept-areas.ts';
import { namesBelow } from '../workspace/list-entries.ts';
import { inverse, isSwap, placesOf, type Step } from '../workspace/changes/step.ts';

/** Returns the steps of an entry that were applied, based on the recorded progress and the disk. */
function happened(powers: StepPowers, { steps, progress }: JournalEntry): Step[] {
  const isDone = (step: Step): boolean => ['after', 'both'].includes(stateOf(powers, step));
  if (progress === null) return steps.filter(isDone);
  // Steps that run one by one: all but the last one begun were applied.
  const last = steps[progress - 1];
  return [...steps.slice(0, Math.max(0, progress - 1)), ...(last !== undefined && isDone(last) ? [last] : [])];
}

/** Removes temporary files that a killed process left beside its files. */
function sweep({ confinement }: StepPowers, { steps, process }: JournalEntry): void {
  const [pid = ''] = process.split(' ');
  // Another process may have the same id now and may be writing.
  if (isRunning(pid) !== false) return;
  const folders = new Map(steps.flatMap(placesOf).map((place) => [displayPath(place.slice(0, -1)), place.slice(0, -1)]));
  for (const folder of folders.values()) {
    for (const name of namesBelow(confinement, folder)) {
      if (temporaryOwner(name) !== pid) continue;
      using directory = confinement.openDirectory(folder);
      // A folder is a stage folder of exchanges, which may still hold removed entries.
      if (lstatSync(directory.at(name)).isDirectory()) continue;
      unlinkSync(directory.at(name));
    }
  }
}

/** Applies the permissions of a folder again. The disk does not tell whether they were applied; repeating it is harmless. */
function giveMode(powers: StepPowers, step: Step): void {
  if (step.kind === 'move' || step.before?.type !== 'folder' || step.after?.type !== 'folder' || isSwap(step)) return;
  try {
    applyStep(powers, step);
  } catch (error) {
    // Something else replaced the folder. The other changes stand, and undo will report this one.
    if (!isSynapseError(error)) throw error;
  }
}

function tidy(powers: StepPowers, steps: readonly Step[]): void {
  for (const step of steps) {
    try {
      if (isSwap(step)) tidyExchange(powers, step);
    } catch (error) {
      // Something else replaced the entry; leave it alone.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    }
  }
}

/** The result of a recovery: the change was completed, reverted, or reverted in part. */
export type RecoveredEntry = 'finished' | 'taken back' | 'partly';

/**
 * Recovers a change whose process was killed. If all steps were applied, the change is completed. Otherwise
 * it is reverted, so that nothing is left half changed. Later changes by others stay.
 */
export function recover(powers: StepPowers, database: JournalDatabase, entry: JournalEntry): RecoveredEntry {
  sweep(powers, entry);
  breakIndexLocks(powers.confinement, entry.steps);
  const done = happened(powers, entry);
  // A move without its last step leaves the file under both names. An exchange without it leaves neither entry in place.
  const isHalf = (step: Step): boolean => (step.kind === 'move' || isSwap(step)) && stateOf(powers, step) === 'both';
  if (done.length === entry.steps.length && !done.some(isHalf)) {
    tidy(powers, entry.steps);
    for (const step of entry.steps) giveMode(powers, step);
    for (const area of areasOf(entry.steps)) markApplied(powers.areas, area);
    database.finish(entry);
    return 'finished';
  }
  for (const step of entry.steps) {
    if (!isSwap(step) || done.includes(step) || !dropSecondName(powers, step, statAt(powers, step))) continue;
    const stat = statAt(powers, step);
    if (stat !== undefined) powers.inodeMap.putBack(stat);
  }
  const stuck: Step[] = [];
  for (const step of done.toReversed()) {
    try {
      const back = inverse(step);
      if (isSwap(back)) exchange(powers, back);
      else applyStep(powers, back);
    } catch {
      // The path has changed since, or its old content was not stored. The step stays in the journal.
      stuck.unshift(step);
    }
  }
  tidy(powers, entry.steps);
  // Restored entries count as unchanged, despite their new ctime.
  database.inodeMap.flush();
  if (stuck.length === 0) {
    database.drop(entry.id);
    return 'taken back';
  }
  database.trim(entry.id, stuck);
  database.finish({ ...entry, undoes: [] });
  return 'partly';
}
