import { workspaceId } from '@synapse/hands/internal';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';

const FILE = 'status.json';
/** SQLite's SQLITE_BUSY: the process that serves the session has the ledger open. */
const BUSY = 5;

const SessionRecord = z.object({
  workspace: z.string(),
  /** Undefined for a brain that sends plain calls. */
  name: z.string().optional(),
  /** The relay's address, without secrets. */
  relay: z.string(),
  status: z.enum(['connecting', 'online', 'base', 'offline', 'stopped', 'ended']),
  /** The last status message. */
  text: z.string(),
  pid: z.int(),
  /** Time of the message in milliseconds since 1970. */
  at: z.number(),
  /** Id of the device that the relay let in. */
  accepted: z.string().optional(),
  /** The latest devices that lost their access, with the number of calls, jobs and forwarded ports that ended for it, and when. */
  revoked: z.array(z.object({ device: z.string(), calls: z.int(), jobs: z.int(), ports: z.int().default(0), at: z.number() })).optional(),
});
/** The recorded status of a session, updated at each change. */
export type SessionRecord = z.infer<typeof SessionRecord>;

/** A session of this machine with its current state. */
export interface ServedSession extends Omit<SessionRecord, 'accepted' | 'revoked'> {
  /** Whether a process serves it. If not, the record is the last known status. */
  readonly running: boolean;
  /** Number of unfinished calls; those that had started answer `interrupted`. Undefined while a process serves the session. */
  readonly open: number | undefined;
}

/** Returns the folder of a session's ledger, output and status. */
export function sessionFolder(stateFolder: string, workspace: string, nameOrUrl: string): string {
  return join(stateFolder, 'remote', workspaceId(workspace), createHash('sha256').update(nameOrUrl).digest('hex').slice(0, 16));
}

const sessionsFolder = (stateFolder: string): string => join(stateFolder, 'remote');

/** Returns a URL without parts that may be secret. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Writes the status of a session to its folder. */
export function writeSessionRecord(folder: string, record: SessionRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = join(folder, `${FILE}.${process.pid}`);
  writeFileSync(made, JSON.stringify(record), { mode: 0o600 });
  // Atomic, so that readers never see a partial file.
  renameSync(made, join(folder, FILE));
}

/** Whether a process has the ledger open; otherwise the number of unfinished calls. */
function ledgerOf(folder: string): Pick<ServedSession, 'running' | 'open'> {
  try {
    const ledger = new DatabaseSync(join(folder, 'ledger.sqlite'), { readOnly: true });
    // Not with `using`: databases of Node 22 are not disposable.
    try {
      const row = ledger.prepare("SELECT COUNT(*) AS open FROM calls WHERE state <> 'done'").get();
      return { running: false, open: Number(row?.['open'] ?? 0) };
    } finally {
      ledger.close();
    }
  } catch (error) {
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === BUSY;
    return { running: isBusy, open: undefined };
  }
}

/** Whether a process serves the session of a folder. */
export const serves = (folder: string): boolean => ledgerOf(folder).running;

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []));
  } catch {
    // No session was ever served.
    return [];
  }
}

/** Returns the last record of a session; undefined if there is none. */
export function readSessionRecord(folder: string): SessionRecord | undefined {
  try {
    return SessionRecord.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8')));
  } catch {
    // From an earlier version, or damaged: as if there were none.
    return undefined;
  }
}

/** Lists the sessions that this machine serves or served, newest first. */
export function listSessions(stateFolder: string): ServedSession[] {
  const folders = foldersIn(sessionsFolder(stateFolder)).flatMap(foldersIn);
  const sessions = folders.flatMap((folder) => {
    const found = readSessionRecord(folder);
    if (found === undefined) return [];
    const { accepted: _accepted, revoked: _revoked, ...record } = found;
    return [{ ...record, ...ledgerOf(folder) }];
  });
  return sessions.toSorted((a, b) => b.at - a.at);
}
