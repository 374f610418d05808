import { SynapseError, isSynapseError } from '@synapse/protocol';
import { describeStep, inverseOf, loadPath, placesOf, type RecordedChange, type Step, untouched } from '../workspace/changes/step.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { isMissing } from '../workspace/target.ts';
import { size } from '../text/amounts.ts';
import { assertApplicable, type StepPowers } from './apply-step.ts';
import { namesBelow } from '../workspace/list-entries.ts';
import { checkedOutProblem } from './checked-out-branch.ts';
import type { JournalEntry } from './journal-database.ts';
import { neededObjects } from './needed-objects.ts';
import type { LeftCall, UndoProblem } from './undoable-calls.ts';

/** The effects of undoing calls. */
export interface UndoPlan {
  readonly calls: ReadonlyArray<{ readonly call: string; readonly tool: string; readonly session: string | null; readonly time: string }>;
  /** The changes that the undo will make, in order. */
  readonly changes: readonly RecordedChange[];
  /** Folders that the calls created and that now hold other entries; they stay. */
  readonly kept_folders: readonly string[];
  /** Changes of files that other programs execute or obey. An approval must cover these by name. */
  readonly protected: readonly ProtectedChange[];
  /** Selected calls that cannot be undone. The others are undone without them. */
  readonly left: readonly LeftCall[];
  /** Reasons why the undo is impossible; empty if it is possible. */
  readonly conflicts: readonly string[];
  /** Other effects of the calls' session that undo does not cover. */
  readonly not_covered: readonly string[];
}

/** A change of a file that other programs execute or obey. */
export interface ProtectedChange {
  readonly path: string;
  /** Why other programs execute or obey it. */
  readonly reason: string;
}

/** The error for an entry whose former content is not kept; undefined if it is. */
function lostProblem({ lost: [lost] }: JournalEntry): SynapseError | undefined {
  if (lost === undefined) return undefined;
  const why = lost.bytes === 0 ? `more than ${lost.limit} entries` : size(lost.bytes);
  return new SynapseError('too_large', `${lost.path} (${why}) was more than the undo journal keeps, so this cannot be undone.`, {
    details: { path: lost.path, bytes: lost.bytes, limit: lost.limit },
  });
}

/** Returns the steps that undo entries, newest first, without the removal of folders that are still in use, and of objects of git that may be. */
export function stepsToUndo(entries: readonly JournalEntry[], powers: StepPowers): { steps: Step[]; keptFolders: string[] } {
  const lost = entries.map(lostProblem).find((problem) => problem !== undefined);
  if (lost !== undefined) throw lost;
  const checkedOut = checkedOutProblem(entries, powers);
  if (checkedOut !== undefined) throw checkedOut;
  const steps: Step[] = [];
  const keptFolders: string[] = [];
  const gone = new Set<string>();
  const isNeeded = neededObjects(entries, powers);
  for (const step of entries.flatMap((entry) => inverseOf(entry.steps))) {
    if (step.kind === 'move') gone.add(displayPath(loadPath(step.from)));
    else if (step.after === null) {
      const path = loadPath(step.path);
      if (isNeeded(path)) continue;
      const shown = displayPath(path);
      if (
        step.before?.type === 'folder' &&
        step.swap === undefined &&
        namesBelow(powers.confinement, path).some((name) => !gone.has(displayPath([...path, name])))
      ) {
        keptFolders.push(shown);
        continue;
      }
      gone.add(shown);
    }
    steps.push(step);
  }
  return { steps, keptFolders };
}

/** Returns the problems of steps that can be detected before the first one runs. */
function conflictsOf(steps: readonly Step[], powers: StepPowers): Array<{ readonly step: Step; readonly message: string }> {
  const conflicts: Array<{ readonly step: Step; readonly message: string }> = [];
  for (const step of untouched(steps)) {
    try {
      assertApplicable(powers, step);
    } catch (error) {
      if (isSynapseError(error)) conflicts.push({ step, message: error.message });
      else if (isMissing(error)) conflicts.push({ step, message: `${placesOf(step).map(displayPath).join(' or ')} is gone.` });
      else throw error;
    }
  }
  return conflicts;
}

/** Whether an entry touches a place of a step. */
const touches = (entry: JournalEntry, step: Step): boolean => {
  const places = new Set(placesOf(step).map(displayPath));
  return entry.steps.some((own) => placesOf(own).some((place) => places.has(displayPath(place))));
};

/** Returns the calls that cannot be undone because their former state is not kept, or because something else changed their files since. */
export function undoProblems(entries: readonly JournalEntry[], powers: StepPowers): UndoProblem[] {
  const lost = entries.flatMap((entry): UndoProblem[] => {
    const problem = lostProblem(entry);
    return problem === undefined ? [] : [{ call: entry.call, reason: problem.message }];
  });
  if (lost.length > 0) return lost;
  const checkedOut = checkedOutProblem(entries, powers);
  if (checkedOut !== undefined) {
    const makers = entries.filter((entry) => checkedOutProblem([entry], powers) !== undefined);
    return (makers.length === 0 ? entries : makers).map(({ call }) => ({ call, reason: checkedOut.message }));
  }
  const { steps } = stepsToUndo(entries, powers);
  // The newest call that touched the place: its state is what was expected there.
  return conflictsOf(steps, powers).flatMap(({ step, message }): UndoProblem[] => {
    const entry = entries.find((one) => touches(one, step));
    return entry === undefined ? [] : [{ call: entry.call, reason: message }];
  });
}

/** Returns the effects of undoing entries, without doing it. */
export function planUndo(entries: readonly JournalEntry[], powers: StepPowers): Omit<UndoPlan, 'not_covered' | 'protected' | 'left'> {
  const calls = new Map(entries.map(({ call, tool, session, time }) => [call, { call, tool, session, time: new Date(time).toISOString() }] as const));
  try {
    const { steps, keptFolders } = stepsToUndo(entries, powers);
    return {
      calls: [...calls.values()],
      changes: steps.map(describeStep),
      kept_folders: keptFolders,
      conflicts: conflictsOf(steps, powers).map(({ message }) => message),
    };
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return { calls: [...calls.values()], changes: [], kept_folders: [], conflicts: [error.message] };
  }
}
