import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { workspaceId } from '@synapse/hands/internal';

/** A connection to a remote brain. */
export interface RemoteLine {
  /** A local name; the name at the relay is not stored. */
  readonly session: string;
  readonly connected: boolean;
  /** Time of the last use, in milliseconds since 1970. */
  readonly time: number;
}

/** Whether a process serves the connection. It then holds a lock on the ledger. */
function isHeld(file: string): boolean {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      database.prepare('SELECT 1 FROM ledger').get();
      return false;
    } finally {
      database.close();
    }
  } catch (error) {
    // SQLITE_BUSY
    return error instanceof Error && 'errcode' in error && error.errcode === 5;
  }
}

/** Lists the remote connections of a project, most recently used first. */
export function remoteLines(stateFolder: string, root: string): RemoteLine[] {
  const folder = join(stateFolder, 'remote', workspaceId(root));
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // The project was never connected.
    return [];
  }
  return names
    .flatMap((session) => {
      const file = join(folder, session, 'ledger.sqlite');
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ session, connected: isHeld(file), time: stat.mtimeMs }];
    })
    .sort((a, b) => b.time - a.time);
}
