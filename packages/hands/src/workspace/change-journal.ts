import type { Capture } from '../journal/capture.ts';
import type { Step } from '../journal/step.ts';

/** Where the changes of one call are kept, so that they can be taken back. The one seam of every change of the disk. */
export interface ChangeJournal {
  /** Brings to an end what a killed process left half done. Asked before any lock is taken. */
  ready(): Promise<void>;
  /**
   * Makes a change, once what it takes away is kept and its intent is written down. Where the change
   * fails, what it did so far is taken back. In a dry run it is planned, and not made.
   *
   * @param plan says what will change, in the order in which it happens; throws what can be told beforehand
   */
  record(plan: (capture: Capture) => Step[], mutate: () => void): void;
  /**
   * Makes changes of its own, one step after the other, all of them or none.
   *
   * @param read gives contents by their hash that the journal need not have
   */
  apply(steps: readonly Step[], undoes: readonly number[], read?: (sum: string) => Buffer | undefined): void;
}
