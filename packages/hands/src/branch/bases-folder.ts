import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of what the workspace had when a branch first changed it, in the state of the branch. */
export const basesFolder = (state: string): string => join(state, 'bases');

/** Forgets all of it: the branch changes nothing any more. */
export function clearBases(state: string): void {
  rmSync(basesFolder(state), { recursive: true, force: true });
}
