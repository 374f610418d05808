import { chmodSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

export const PLACE_SCHEMA = 'CREATE TABLE IF NOT EXISTS place (at TEXT NOT NULL) STRICT;';

/** Told where the state folder was copied from another machine, or restored from a backup. */
export const COPIED =
  'The records of this session are a copy, of another machine or from a backup, and calls may have run since. So open calls of before do not run ' +
  'here: agents get `interrupted`. New ones do.';

/** What a file keeps where it is, and a copy of it does not have: its number, and when it was made if the file system knows that. */
interface Place {
  readonly number: string;
  readonly made: string;
}

const UNKNOWN = '0';
/** Milliseconds after which the clock of a file system has moved on: more than two of its ticks. */
const TICK_MS = 50;

/**
 * Where a file system has no times of birth, Node gives the time of the last change. A file that was restored just now has the same times too,
 * and perhaps the number of the one that it replaces: so it is changed, until its times differ.
 */
function placeOf(file: string, now: () => number): Place {
  const until = now() + TICK_MS;
  // The clock is read before a change: a busy machine may stop this process for longer than a tick anywhere.
  let changedAt = -Infinity;
  for (;;) {
    const { ino, birthtimeNs, ctimeNs, mode } = statSync(file, { bigint: true });
    if (birthtimeNs !== ctimeNs) return { number: String(ino), made: String(birthtimeNs) };
    if (changedAt > until) return { number: String(ino), made: UNKNOWN };
    changedAt = now();
    chmodSync(file, Number(mode & 0o7777n));
  }
}

function isSame(a: Place, b: Place): boolean {
  return a.number === b.number && (a.made === b.made || a.made === UNKNOWN || b.made === UNKNOWN);
}

/**
 * Whether a ledger is a copy: of another machine, or from a backup. The copy is known as such once, and is a ledger of its own then. One with
 * calls that does not say where it is counts as one: its journal may have begun anew while it was copied.
 *
 * @param now for tests: milliseconds
 */
export function isCopy(database: DatabaseSync, file: string, now = (): number => performance.now()): boolean {
  const here = placeOf(file, now);
  const [number = '', made = UNKNOWN] = String(database.prepare('SELECT at FROM place').get()?.['at'] ?? '').split(' ');
  database.exec('DELETE FROM place');
  database.prepare('INSERT INTO place VALUES (?)').run(`${here.number} ${here.made}`);
  if (number === '') return database.prepare('SELECT 1 FROM calls').get() !== undefined;
  return !isSame(here, { number, made });
}
