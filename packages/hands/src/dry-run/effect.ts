import { hash } from 'node:crypto';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import type { Step } from '../workspace/changes/step.ts';

/** A change that a command made on the copy and that is not applied to the workspace. */
export interface OmittedChange {
  /** The path as shown. */
  readonly path: string;
  readonly reason: string;
}

/** What a call would change in the workspace. */
export interface Effect {
  readonly steps: readonly Step[];
  readonly omitted: readonly OmittedChange[];
  /** Notes about changes that are applied, one per line. */
  readonly cautions: readonly string[];
  /** What cannot be undone. */
  readonly tooLarge: readonly TooLargeToUndo[];
  /** Why exactly these changes cannot be applied; undefined if they can. */
  readonly blocked: string | undefined;
}

export const NO_EFFECT: Effect = { steps: [], omitted: [], cautions: [], tooLarge: [], blocked: undefined };

/** Returns the hash that the approval of an effect is bound to, so that exactly the shown changes are applied. */
export function effectFingerprint({ steps }: Effect): string {
  return hash('sha256', JSON.stringify(steps), 'hex');
}
