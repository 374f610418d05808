import type { BigIntStats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { earlierInodeOf, inodeOf, sameInode } from '../workspace/changes/step.ts';

/** Tables for the inode that replaces an old one after an undo, and for the ctime of restored entries. */
export const INODE_MAP_SCHEMA = `
  CREATE TABLE IF NOT EXISTS successor (inode TEXT PRIMARY KEY, now TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS put_back (inode TEXT PRIMARY KEY, changed TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS successor_now ON successor (now);
`;

/** Maps old inodes to current ones. An undo restores a file under a new inode, and calls treat it as the same file. */
export interface InodeMap {
  /** Whether the entry found is the expected one. */
  isSame(expected: string, found: string | undefined): boolean;
  /** Records that an entry replaced another one. */
  follow(before: string, now: string): void;
  /** Records that an undo put an entry in place; its ctime differs after any later change. */
  putBack(stat: BigIntStats): void;
  /** Whether an entry is unchanged since an undo restored it. */
  isPutBack(stat: BigIntStats): boolean;
}

/** Opens the inode map of a database. */
export function openInodeMap(database: DatabaseSync): InodeMap & {
  flush(): void;
  prune(oldest: number): void;
  /** Forgets what was put back before a time, in milliseconds since 1970. */
  forgetPutBack(before: number): void;
} {
  const pending = new Map<string, bigint>();
  // These run for each file of a change, and preparing a statement takes ten times as long as running it.
  const statements = new Map<string, StatementSync>();
  const prepared = (text: string): StatementSync => {
    const found = statements.get(text) ?? database.prepare(text);
    statements.set(text, found);
    return found;
  };
  return {
    isSame(expected, found) {
      if (found === undefined || sameInode(expected, found)) return found !== undefined;
      const now = prepared('SELECT now FROM successor WHERE inode = ?').get(expected)?.['now'];
      return typeof now === 'string' && sameInode(now, found);
    },
    follow(before, now) {
      if (before === now) return;
      prepared('UPDATE successor SET now = ? WHERE now = ?').run(now, before);
      prepared('INSERT OR REPLACE INTO successor (inode, now, time) VALUES (?, ?, ?)').run(before, now, Date.now());
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
      const found = prepared('SELECT 1 FROM put_back WHERE inode IN (?, ?) AND changed = ?');
      return found.get(inodeOf(stat), earlierInodeOf(stat), String(stat.ctimeNs)) !== undefined;
    },
    forgetPutBack(before) {
      database.prepare('DELETE FROM put_back WHERE time < ?').run(before);
    },
    prune(oldest) {
      this.forgetPutBack(oldest);
      database.prepare('DELETE FROM successor WHERE time < ?').run(oldest);
    },
  };
}
