import type { DatabaseSync } from 'node:sqlite';
import { sameInode } from './step.ts';

/** The inode of an entry that was taken away, and of the one that an undo put in its place. */
export const SUCCESSORS = `
  CREATE TABLE IF NOT EXISTS successor (inode TEXT PRIMARY KEY, now TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS successor_now ON successor (now);
`;

/** Which entry stands for which by now: what an undo brings back is a new file to the system, and the same to its calls. */
export interface Successors {
  /** Whether what was found is the entry that a move was about. */
  isSame(expected: string, found: string | undefined): boolean;
  /** Takes note of an entry that was made in the place of one that had been there. */
  follow(before: string, now: string): void;
}

/** Keeps in a database what stands for what. */
export function successorsIn(database: DatabaseSync): Successors & { prune(oldest: number): void } {
  return {
    isSame(expected, found) {
      if (found === undefined || sameInode(expected, found)) return found !== undefined;
      const now = database.prepare('SELECT now FROM successor WHERE inode = ?').get(expected)?.['now'];
      return typeof now === 'string' && sameInode(now, found);
    },
    follow(before, now) {
      if (before === now) return;
      database.prepare('UPDATE successor SET now = ? WHERE now = ?').run(now, before);
      database.prepare('INSERT OR REPLACE INTO successor (inode, now, time) VALUES (?, ?, ?)').run(before, now, Date.now());
    },
    prune(oldest) {
      database.prepare('DELETE FROM successor WHERE time < ?').run(oldest);
    },
  };
}
