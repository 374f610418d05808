import { linesOf } from '../output/diff-stat.ts';
import type { Attempt } from './attempt.ts';

/** How much an attempt changed. */
export interface ChangeSize {
  readonly added: number;
  readonly removed: number;
  /** Lines, and other changes such as of binary files, as one each. */
  readonly all: number;
}

/** The size of what an attempt changed. */
export function changeSize({ effect, changes }: Pick<Attempt, 'effect' | 'changes'>): ChangeSize {
  if (effect === undefined) return { added: 0, removed: 0, all: changes };
  const diffs = effect.changes.map(linesOf);
  const added = diffs.reduce((sum, lines) => sum + lines.added, 0);
  const removed = diffs.reduce((sum, lines) => sum + lines.removed, 0);
  const others = diffs.filter((lines) => lines.added + lines.removed === 0).length;
  const folded = (effect.folded ?? []).reduce((sum, { files }) => sum + files, 0);
  return { added, removed, all: added + removed + others + folded + effect.more };
}

/** Whether an attempt changed something, so that it can be applied. */
export const hasChanges = ({ changes }: Attempt): boolean => changes > 0;

/** Whether the check passed, and there is something to apply. */
export const isGreen = (attempt: Attempt): boolean => hasChanges(attempt) && attempt.check?.passed === true;

/**
 * Orders attempts, the best first: those with changes, those that passed the check, those that were finished, then the smaller ones. What was
 * stopped on its way is smaller than what is finished, and no better for it.
 */
export function rankAttempts(attempts: readonly Attempt[]): Attempt[] {
  const keys = (attempt: Attempt): number[] => [
    hasChanges(attempt) ? 0 : 1,
    attempt.check?.passed === true ? 0 : 1,
    attempt.status === 'done' ? 0 : 1,
    changeSize(attempt).all,
    attempt.index,
  ];
  const compare = (one: readonly number[], other: readonly number[]): number =>
    one.map((key, at) => key - (other[at] ?? 0)).find((by) => by !== 0) ?? 0;
  return attempts.toSorted((one, other) => compare(keys(one), keys(other)));
}
