import { closeSync, existsSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';

/** How long a statement waits for another process, in milliseconds. */
const WAIT_MS = 5_000;
/** A database of more bytes is not checked at every opening. */
const ALWAYS_CHECKED_BYTES = 4 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** SQLite's result codes for a file that it cannot make sense of: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

/** A database that is open, and what had to be done for that. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  /** The name that a damaged database was given; nothing of it was changed. */
  readonly setAside: string | undefined;
}

function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && DAMAGED.has(error.errcode & 0xff);
}

function open(file: string, schema: string): DatabaseSync {
  // Made here, so that it is for its owner alone; SQLite gives its other files the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
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

/** A small one is checked at each opening, a large one once a day: the check reads all of it. What is damaged meanwhile shows in use. */
function assertWhole(database: DatabaseSync): void {
  const isLarge = numberOf(database, 'page_count') * numberOf(database, 'page_size') > ALWAYS_CHECKED_BYTES;
  const today = Math.floor(Date.now() / DAY_MS);
  if (isLarge && numberOf(database, 'user_version') === today) return;
  const [row] = database.prepare('PRAGMA quick_check(1)').all();
  if (row?.['quick_check'] !== 'ok') throw Object.assign(new Error('quick_check failed'), { errcode: 11 });
  if (isLarge) database.exec(`PRAGMA user_version = ${today}`);
}

/**
 * Opens a database of the state folder. One that is damaged is renamed, never written to: what can be
 * saved from it is for a person to decide.
 *
 * @param schema creates what is missing; run at each opening
 * @throws SynapseError `unavailable` where it cannot be opened or made
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
    throw new SynapseError('unavailable', `The database ${basename(file)} of Synapse cannot be opened.`, {
      hint: 'Make the state folder of Synapse writable and see that its disk is not full, or set XDG_STATE_HOME to another one.',
      cause: error,
    });
  }
}
