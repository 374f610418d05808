import type { ShownBranch, ShownEffect } from '@synapse/hands';
import { describeConflict } from '@synapse/hands/internal';
import type { Output } from './output.ts';

/** Tells which files get what both sides changed, and which stay in the branch because both changed the same. */
export function tellConflicts(to: Output, { merged = [], conflicts = [] }: ShownEffect & Partial<ShownBranch>): void {
  for (const path of merged) to.write(`Merged: ${path} gets the lines of both sides.\n`, 'dim');
  for (const conflict of conflicts) to.write(`Conflict: ${describeConflict(conflict)}\n`, 'yellow');
}
