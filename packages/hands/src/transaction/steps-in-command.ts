import { execLines } from '../danger/executable-git-config.ts';
import { stepsOf } from '../policy/rebase-steps.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { WithheldEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum bytes of a todo list. A larger one stays withheld. */
const MAX_BYTES = 256 * 1024;
/** A todo list that need not be withheld, with what `git rebase --continue` runs. */
export interface KnownSteps {
  readonly entry: WithheldEntry;
  readonly runs: readonly string[];
}

/**
 * Finds the todo lists of rebases whose `exec` lines all are in the command itself, as arguments of `git rebase -x`. Lines that a
 * script added are not among them.
 */
export function stepsInCommand(withheld: readonly WithheldEntry[], area: Pick<TransactionArea, 'upper'>, command: string): KnownSteps[] {
  const allowed = stepsOf(command);
  if (allowed.size === 0) return [];
  return withheld.flatMap((entry): KnownSteps[] => {
    if (!isTodo(entry)) return [];
    const text = readRegular(joinNames(area.upper, entry.location), MAX_BYTES)?.bytes.toString();
    const runs = text === undefined ? [] : execLines(text).map((line) => line.replace(/^exec /u, ''));
    return runs.length > 0 && runs.every((run) => allowed.has(run)) ? [{ entry, runs: [...new Set(runs)] }] : [];
  });
}

/** Whether an entry is the todo list of a rebase. */
export const isTodo = ({ reason, isThere, location }: WithheldEntry): boolean =>
  reason === 'git-hook' && isThere && location.at(-1) === 'git-rebase-todo' && location.at(-2) === 'rebase-merge';
