import { outsideHeld } from '@synapse/hands/internal';
import { ERROR_CODES, type CallResult } from '@synapse/protocol';
import type { Output } from './output.ts';
import { exitCode, tellError } from './report-error.ts';

/** What was applied, of pending changes or of a branch. */
interface Applied {
  readonly applied: number;
  readonly conflicts: ReadonlyArray<{ readonly path: string }>;
  readonly commits?: ReadonlyArray<{ readonly repository: string }>;
}

/**
 * Returns the exit code of what was applied. What was left out because of a conflict is no success: a script must not go on. A repository whose
 * commits got a branch of git is one.
 */
export function appliedCode(result: CallResult<Applied>): number {
  const isWhole = !result.ok || outsideHeld(result.data.conflicts, result.data.commits ?? []).length === 0;
  return isWhole ? exitCode(result) : ERROR_CODES.conflict.exitCode;
}

/** Says what was applied, and how to take it back. */
export function tellApplied(err: Output, result: CallResult<Applied>): void {
  if (!result.ok) return tellError(err, result.error);
  err.write(`${result.output}\n`);
  if (result.data.applied > 0) err.write(`To take this back: synapse undo ${result.meta.callId}\n`);
}
