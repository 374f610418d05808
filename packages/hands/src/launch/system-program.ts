import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where distributions install programs. PATH is not used, because it may contain folders that a command can write. */
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];

/** Returns the path of a system program in the fixed folders; undefined if it is missing. */
export function systemProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      // Missing: try the next folder.
      return false;
    }
  });
}
