import type { DatabaseSync } from 'node:sqlite';

const DAY_MS = 86_400_000;
/** Milliseconds to remember a finished call: one week after it arrived, or was made by the clock of its brain. */
const KEEP_MS = 7 * DAY_MS;
/** Days on which the ledger must have been open since. A clock that jumps adds only one, however far it jumps. */
const SEEN_DAYS = 7;

export const DAYS_SCHEMA = 'CREATE TABLE IF NOT EXISTS days (day INTEGER PRIMARY KEY) STRICT;';

/**
 * Notes that the ledger is open on this day, and returns the time before which calls may be forgotten, in milliseconds since 1970.
 * The clock alone does not decide: one that is ahead for one start would empty the ledger. Call it in a transaction.
 */
export function keptFrom(database: DatabaseSync, now: number): number {
  const today = Math.floor(now / DAY_MS);
  database.prepare('INSERT INTO days VALUES (?) ON CONFLICT DO NOTHING').run(today);
  // Days in the future were seen by a clock that was ahead.
  const row = database.prepare('SELECT day FROM days WHERE day <= ? ORDER BY day DESC LIMIT 1 OFFSET ?').get(today, SEEN_DAYS - 1);
  if (row === undefined) return 0;
  const first = Number(row['day']);
  database.prepare('DELETE FROM days WHERE day < ?').run(first);
  return Math.min(now - KEEP_MS, first * DAY_MS);
}
