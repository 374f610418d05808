import type { TooLargeToUndo } from '../journal/capture.ts';
import { size } from '../text/amounts.ts';

/** Why a change is for good; undefined where it can be undone. */
export function lossReason(facts: readonly TooLargeToUndo[]): string | undefined {
  const [first] = facts;
  if (first === undefined) return undefined;
  const more = facts.length === 1 ? '' : ` and ${facts.length - 1} more`;
  // A folder is too large by its entries, which have no size of their own.
  const why = first.bytes === 0 ? `more than ${first.limit} entries` : `${size(first.bytes)}${more}`;
  return `${first.path} (${why}) is more than the undo journal keeps`;
}

/** Tells that a change is for good, and why; undefined where it can be undone. */
export function undoNote(facts: readonly TooLargeToUndo[]): string | undefined {
  const reason = lossReason(facts);
  return reason === undefined ? undefined : `This cannot be undone: ${reason}.`;
}
