import { existsSync } from 'node:fs';
import { SEVERAL } from './served-workspaces.ts';
import { readSessionRecord, sessionFolder, serves, type SessionRecord } from './session-records.ts';

/** Milliseconds between looks at what a process says. */
const LOOK_MS = 20;
/** Looks in which a process ends what a revoked device runs, and says so: some seconds. Time in which the machine stands still has none. */
const LOOKS = 200;

/** A session that a revoked device could use. */
interface RevokedSession {
  readonly workspace: string;
  readonly session: string;
}

/** What a process that serves a session ended; `undefined` if it has not said so in time. */
export interface RevokedWork {
  readonly session: string;
  /** Undefined where the record of the session cannot be read. Process 0 would be each of the caller's group. */
  readonly pid: number | undefined;
  readonly ended: NonNullable<SessionRecord['revoked']>[number] | undefined;
}

/**
 * Waits until the processes that serve sessions have ended what a device runs there. Sessions that no process serves have nothing to end.
 *
 * @param since when the device was revoked, in milliseconds since 1970
 */
export async function awaitRevoked(
  stateFolder: string,
  device: string,
  sessions: readonly RevokedSession[],
  since: number,
): Promise<readonly RevokedWork[]> {
  // A process may serve the workspace alone, or with others.
  const places = sessions.flatMap(({ workspace, session }) =>
    [workspace, SEVERAL].map((records) => [sessionFolder(stateFolder, records, session), session] as const),
  );
  const served = [...new Map(places)].map(([folder, session]) => ({ session, folder })).filter(({ folder }) => existsSync(folder) && serves(folder));
  const look = (): RevokedWork[] =>
    served.map(({ session, folder }) => {
      const record = readSessionRecord(folder);
      return { session, pid: record?.pid, ended: record?.revoked?.findLast((one) => one.device === device && one.at >= since) };
    });
  let found = look();
  for (let looks = 0; looks < LOOKS && found.some(({ ended }) => ended === undefined); looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    found = look();
  }
  return found;
}
