import type { BigIntStats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { earlierInodeOf, inodeOf, sameInode, type Image } from '../workspace/changes/step.ts';

/**
 * Tables for the inode that replaces an old one after an undo, for the ctime of restored entries, for the one that a call had found, and for
 * both of entries that calls moved.
 */
export const INODE_MAP_SCHEMA = `
  CREATE TABLE IF NOT EXISTS successor (inode TEXT PRIMARY KEY, now TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS put_back (inode TEXT PRIMARY KEY, changed TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS put_back_found (inode TEXT PRIMARY KEY, changed TEXT NOT NULL, found TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS moved (inode TEXT PRIMARY KEY, changed TEXT NOT NULL, found TEXT NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS put_back_forgotten AFTER DELETE ON put_back BEGIN DELETE FROM put_back_found WHERE inode = old.inode; END;
  CREATE INDEX IF NOT EXISTS successor_now ON successor (now);
`;

/** An entry of which a call noted when it was changed, in nanoseconds since 1970. */
export interface FoundEntry {
  readonly inode?: string | undefined;
  readonly changed?: string | undefined;
}

/** An entry as a call found it: which one, and when it was changed. */
export function foundIn(image: Image): FoundEntry {
  if (image.type === 'other') return {};
  return { inode: image.inode, changed: image.whole?.changed ?? ('changed' in image ? image.changed : undefined) };
}

/** Maps old inodes to current ones. An undo restores a file under a new inode, and calls treat it as the same file. */
export interface InodeMap {
  /** Whether the entry found is the expected one. */
  isSame(expected: string, found: string | undefined): boolean;
  /** Records that an entry replaced another one. */
  follow(before: string, now: string): void;
  /**
   * Records that an undo put an entry in place; its ctime differs after any later change.
   *
   * @param found the entry as the call that is undone found it
   */
  putBack(stat: BigIntStats, found?: FoundEntry): void;
  /** Records that a call moved an entry, which changes its ctime. */
  moved(stat: BigIntStats, before: BigIntStats): void;
  /** The ctime of an entry that an undo restored, or a call moved, when that call found it; undefined if it is not known, or changed since. */
  foundAt(stat: BigIntStats): bigint | undefined;
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
  const pending = new Map<string, { readonly changed: string; readonly found: string | undefined }>();
  const pendingMoves = new Map<string, { readonly changed: string; readonly found: string }>();
  // These run for each file of a change, and preparing a statement takes ten times as long as running it.
  const statements = new Map<string, StatementSync>();
  const prepared = (text: string): StatementSync => {
    const found = statements.get(text) ?? database.prepare(text);
    statements.set(text, found);
    return found;
  };
  const foundOf = (inodes: readonly [string, string], changed: string): string | undefined => {
    const waiting = [pending, pendingMoves].map((all) => all.get(inodes[0])).find((one) => one?.changed === changed);
    if (waiting !== undefined) return waiting.found;
    const row = (['put_back_found', 'moved'] as const)
      .map((table) => prepared(`SELECT found FROM ${table} WHERE inode IN (?, ?) AND changed = ?`).get(...inodes, changed))
      .find((one) => one !== undefined);
    return typeof row?.['found'] === 'string' ? row['found'] : undefined;
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
    putBack(stat, { inode, changed } = {}) {
      // The call may itself have found what an undo before had put back.
      const earlier = inode === undefined || changed === undefined ? undefined : foundOf([inode, inode], changed);
      pending.set(inodeOf(stat), { changed: String(stat.ctimeNs), found: earlier ?? changed });
    },
    moved(stat, before) {
      const found = foundOf([inodeOf(before), earlierInodeOf(before)], String(before.ctimeNs));
      pendingMoves.set(inodeOf(stat), { changed: String(stat.ctimeNs), found: found ?? String(before.ctimeNs) });
    },
    foundAt(stat) {
      const found = foundOf([inodeOf(stat), earlierInodeOf(stat)], String(stat.ctimeNs));
      return found === undefined ? undefined : BigInt(found);
    },
    flush() {
      if (pending.size + pendingMoves.size === 0) return;
      const insertMoved = database.prepare('INSERT OR REPLACE INTO moved (inode, changed, found, time) VALUES (?, ?, ?, ?)');
      const insert = database.prepare('INSERT OR REPLACE INTO put_back (inode, changed, time) VALUES (?, ?, ?)');
      const insertFound = database.prepare('INSERT OR REPLACE INTO put_back_found (inode, changed, found) VALUES (?, ?, ?)');
      database.exec('BEGIN IMMEDIATE');
      for (const [inode, { changed, found }] of pending) {
        insert.run(inode, changed, Date.now());
        if (found !== undefined) insertFound.run(inode, changed, found);
      }
      for (const [inode, { changed, found }] of pendingMoves) insertMoved.run(inode, changed, found, Date.now());
      database.exec('COMMIT');
      pending.clear();
      pendingMoves.clear();
    },
    isPutBack(stat) {
      if (pending.get(inodeOf(stat))?.changed === String(stat.ctimeNs)) return true;
      const found = prepared('SELECT 1 FROM put_back WHERE inode IN (?, ?) AND changed = ?');
      return found.get(inodeOf(stat), earlierInodeOf(stat), String(stat.ctimeNs)) !== undefined;
    },
    forgetPutBack(before) {
      database.prepare('DELETE FROM put_back WHERE time < ?').run(before);
    },
    prune(oldest) {
      this.forgetPutBack(oldest);
      for (const table of ['successor', 'moved']) database.prepare(`DELETE FROM ${table} WHERE time < ?`).run(oldest);
    },
  };
}
