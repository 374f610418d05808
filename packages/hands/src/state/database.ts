import { closeSync, existsSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { stateProblem } from './state-folder.ts';

/** Milliseconds for which a statement waits for another process. */
const WAIT_MS = 5_000;
/** Maximum size in bytes of a database that is checked at every opening. */
const ALWAYS_CHECKED_BYTES = 4 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** SQLite's result codes for a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

/** An open database, and the result of opening it. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** The new name of a damaged database, which was not changed; undefined if the database was intact. */
  readonly setAside: string | undefined;
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && DAMAGED.has(error.errcode & 0xff);
}

function open(file: string, schema: string): DatabaseSync {
  // Created here, so that only its owner has access. SQLite gives its other files the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file);
  try {
    // Set by a statement, because Node 22 has no option for it.
    database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    // A write-ahead log survives a killed process, and readers do not wait for the writer.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    assertWhole(database);
    database.exec(schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

/** Checks a small database at every opening and a large one once a day, because the check reads all of it. Later damage shows in use. */
function assertWhole(database: DatabaseSync): void {
  const isLarge = numberOf(database, 'page_count') * numberOf(database, 'page_size') > ALWAYS_CHECKED_BYTES;
  const today = Math.floor(Date.now() / DAY_MS);
  if (isLarge && numberOf(database, 'user_version') === today) return;
  const [row] = database.prepare('PRAGMA quick_check(1)').all();
  if (row?.['quick_check'] !== 'ok') throw Object.assign(new Error('quick_check failed'), { errcode: 11 });
  if (isLarge) database.exec(`PRAGMA user_version = ${today}`);
}

/**
 * Opens a database of the state folder. A damaged one is renamed and never written to, so that a person can
 * decide what to recover from it.
 *
 * @param schema creates missing tables; runs at every opening
 * @throws SynapseError `unavailable` if it cannot be opened or created
 */
export function openDatabase(file: string, schema: string): OpenDatabase {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      return { database: open(file, schema), setAside: undefined };
    } catch (error) {
      if (!isDamaged(error)) throw error;
    }
    const aside = `${file}.damaged-${new Date().toISOString().replaceAll(':', '-')}`;
    for (const suffix of ['', '-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
    return { database: open(file, schema), setAside: basename(aside) };
  } catch (error) {
    throw stateProblem(`The database ${basename(file)} of Synapse cannot be opened`, file, error);
  }
}

const closed = new WeakSet<DatabaseSync>();

/** Closes a database; does nothing if this has closed it before. Older releases of Node 22 do not say whether a database is open. */
export function closeDatabase(database: DatabaseSync): void {
  if (closed.has(database)) return;
  closed.add(database);
  database.close();
}
