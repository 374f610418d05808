import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnFolder } from '../../state/private-folder.ts';

/** Maximum length of a socket path on every system, in bytes, without the terminating zero. */
const MAX_PATH = 103;
/** Maximum number of windows that are asked. A machine is not expected to have more open. */
const MAX_WINDOWS = 8;
const NAME = /^[0-9a-f]{8}\.sock$/u;

/** Returns the folder with the sockets of all windows. It is missing until the first one opens. */
export const windowFolder = (stateFolder: string): string => join(stateFolder, 'windows');

/**
 * Returns a path for the socket of a new window.
 *
 * @returns undefined if the path of the state folder is too long, or the folder belongs to another user
 */
export function newWindowSocket(stateFolder: string): string | undefined {
  const folder = windowFolder(stateFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomBytes(4).toString('hex')}.sock`);
  // A process that can create one can answer for the user.
  return isOwnFolder(folder) && Buffer.byteLength(path) <= MAX_PATH ? path : undefined;
}

/** Returns the sockets of windows. Some may be left over from killed processes. */
export function windowSockets(stateFolder: string): string[] {
  const folder = windowFolder(stateFolder);
  try {
    if (!isOwnFolder(folder)) return [];
    const names = readdirSync(folder).filter((name) => NAME.test(name));
    return names.slice(0, MAX_WINDOWS).map((name) => join(folder, name));
  } catch {
    // No window was ever open.
    return [];
  }
}
