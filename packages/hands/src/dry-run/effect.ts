import { hash } from 'node:crypto';
import type { TooLargeToUndo } from '../journal/capture.ts';
import type { Step } from '../journal/step.ts';

/** Something that a command did on the copy and that is not done in the workspace. */
export interface OmittedChange {
  /** As it is shown. */
  readonly path: string;
  readonly reason: string;
}

/** What a call would change in the workspace. */
export interface Effect {
  readonly steps: readonly Step[];
  readonly omitted: readonly OmittedChange[];
  /** What to know about changes that are made, a line each. */
  readonly cautions: readonly string[];
  /** What could not be given back. */
  readonly tooLarge: readonly TooLargeToUndo[];
  /** Why exactly this cannot be done; undefined where it can. */
  readonly blocked: string | undefined;
}

export const NO_EFFECT: Effect = { steps: [], omitted: [], cautions: [], tooLarge: [], blocked: undefined };

/** What a yes to an effect is bound to: what is done must be what was shown. */
export function effectFingerprint({ steps }: Effect): string {
  return hash('sha256', JSON.stringify(steps), 'hex');
}
