import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';

/** The name that the records of a folder are kept under. A folder that is gone still has them. */
export function workspaceRoot(folder = '.'): string {
  const given = resolve(folder);
  try {
    return realpathSync(given);
  } catch {
    // Gone, or not to be reached: its name as given is all there is.
    return given;
  }
}
