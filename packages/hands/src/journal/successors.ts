import type { BigIntStats } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { inodeOf, sameInode } from './step.ts';

/** The inode of an entry that was taken away, and of the one that an undo put in its place. */
export const SUCCESSORS = `
  CREATE TABLE IF NOT EXISTS successor (inode TEXT PRIMARY KEY, now TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS put_back (inode TEXT PRIMARY KEY, changed TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS successor_now ON successor (now);
`;

/** Which entry stands for which by now: what an undo brings back is a new file to the system, and the same to its calls. */
export interface Successors {
  /** Whether what was found is the entry that a move was about. */
  isSame(expected: string, found: string | undefined): boolean;
  /** Takes note of an entry that was made in the place of one that had been there. */
  follow(before: string, now: string): void;
  /** Takes note that an entry was put where it is by an undo, which its ctime tells from every later change. */
  putBack(stat: BigIntStats): void;
  /** Whether an entry is as an undo put it there. */
  isPutBack(stat: BigIntStats): boolean;
}

/** Keeps in a database what stands for what. */
export function successorsIn(database: DatabaseSync): Successors & { flush(): void; prune(oldest: number): void } {
  const pending = new Map<string, bigint>();
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
    putBack(stat) {
      pending.set(inodeOf(stat), stat.ctimeNs);
    },
    flush() {
      if (pending.size === 0) return;
      const insert = database.prepare('INSERT OR REPLACE INTO put_back (inode, changed, time) VALUES (?, ?, ?)');
      database.exec('BEGIN IMMEDIATE');
      for (const [inode, changed] of pending) insert.run(inode, String(changed), Date.now());
      database.exec('COMMIT');
      pending.clear();
    },
    isPutBack(stat) {
      if (pending.get(inodeOf(stat)) === stat.ctimeNs) return true;
      return database.prepare('SELECT 1 FROM put_back WHERE inode = ? AND changed = ?').get(inodeOf(stat), String(stat.ctimeNs)) !== undefined;
    },
    prune(oldest) {
      database.prepare('DELETE FROM put_back WHERE time < ?').run(oldest);
      database.prepare('DELETE FROM successor WHERE time < ?').run(oldest);
    },
  };
}
