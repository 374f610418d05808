import type { DatabaseSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { closeDatabase, openDatabase } from '../state/database.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import { Step, type StoredPath, storePath } from '../workspace/changes/step.ts';
import { areasIn, ENTRY_AREAS } from './kept-areas.ts';
import { INODE_MAP_SCHEMA, openInodeMap } from './inode-map.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    call TEXT NOT NULL,
    session TEXT,
    tool TEXT NOT NULL,
    time INTEGER NOT NULL,
    state TEXT NOT NULL,
    process TEXT NOT NULL,
    progress INTEGER,
    undoes TEXT NOT NULL,
    undone_by TEXT,
    lost TEXT NOT NULL,
    steps TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS entry_call ON entry (call);
  CREATE INDEX IF NOT EXISTS entry_session ON entry (session);
  CREATE INDEX IF NOT EXISTS entry_open ON entry (state) WHERE state = 'open';
  CREATE TABLE IF NOT EXISTS blob (sum TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entry_blob (
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    sum TEXT NOT NULL REFERENCES blob (sum),
    PRIMARY KEY (entry, sum)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entry_blob_sum ON entry_blob (sum);
  CREATE TABLE IF NOT EXISTS entry_written (
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    written TEXT NOT NULL,
    PRIMARY KEY (entry, path)
  ) STRICT, WITHOUT ROWID;
  ${INODE_MAP_SCHEMA}
  ${ENTRY_AREAS}
`;

const jsonText = <T extends z.ZodType>(schema: T) => z.string().transform((text): z.output<T> => schema.parse(JSON.parse(text)));

const TooLarge = z.object({ path: z.string(), bytes: z.number(), limit: z.number() });

/** A change to the workspace. Either all of its steps happened or none. */
export const JournalEntry = z.object({
  id: z.int(),
  call: z.string(),
  session: z.string().nullable(),
  tool: z.string(),
  /** Milliseconds since 1970. */
  time: z.int(),
  /** `open` until the outcome is known. */
  state: z.enum(['open', 'done']),
  process: z.string(),
  /** The number of steps that were begun, if they run one by one; null if they run at once. */
  progress: z.int().nullable(),
  /** The entries that this one undoes. */
  undoes: jsonText(z.array(z.int())),
  /** The call that undid this entry. */
  undone_by: z.string().nullable(),
  /** Contents that cannot be restored. */
  lost: jsonText(z.array(TooLarge)),
  steps: jsonText(z.array(Step)),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** The data of a change before it is made. */
export type NewEntry = Pick<JournalEntry, 'call' | 'tool' | 'time' | 'process' | 'progress' | 'undoes' | 'lost' | 'steps'> & {
  readonly session: string | undefined;
};

/** Returns the SHA-256 of the contents that steps refer to, with their sizes in bytes. */
export function contentsOf(steps: readonly Step[]): Map<string, number> {
  const contents = new Map<string, number>();
  for (const step of steps) {
    if (step.kind === 'move') continue;
    for (const image of [step.before, step.after]) if (image?.type === 'file' && image.kept) contents.set(image.sha256, image.size);
  }
  return contents;
}

/** Maximum number of changes that are searched for a path, newest first. */
const MAX_SEARCHED = 100;

/** The index of a journal: all changes with their order and steps. */
export class JournalDatabase implements Disposable {
  /** The new name of a damaged database; undefined if the database was intact. */
  readonly setAside: string | undefined;
  readonly inodeMap: ReturnType<typeof openInodeMap>;
  readonly areas: ReturnType<typeof areasIn>;
  readonly #database: DatabaseSync;

  constructor(file: string) {
    const { database, setAside } = openDatabase(file, SCHEMA);
    this.#database = database;
    this.setAside = setAside;
    this.inodeMap = openInodeMap(database);
    this.areas = areasIn(database);
  }

  /** Records a change before it is made. */
  insert(entry: NewEntry): number {
    return this.#transaction(() => {
      const { lastInsertRowid } = this.#database
        .prepare('INSERT INTO entry (call, session, tool, time, state, process, progress, undoes, lost, steps) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          entry.call,
          entry.session ?? null,
          entry.tool,
          entry.time,
          'open',
          entry.process,
          entry.progress,
          JSON.stringify(entry.undoes),
          JSON.stringify(entry.lost),
          JSON.stringify(entry.steps),
        );
      const id = Number(lastInsertRowid);
      for (const [sum, size] of contentsOf(entry.steps)) {
        this.#database.prepare('INSERT INTO blob (sum, size) VALUES (?, ?) ON CONFLICT DO NOTHING').run(sum, size);
        this.#database.prepare('INSERT INTO entry_blob (entry, sum) VALUES (?, ?)').run(id, sum);
      }
      this.areas.note(id, entry.steps);
      return id;
    });
  }

  /** Copies it to a new file, as it is now. */
  copyTo(file: string): void {
    this.#database.prepare('VACUUM INTO ?').run(file);
  }

  /** The id of the newest change, which differs after each further one. */
  newest(): number {
    return z.number().parse(this.#database.prepare('SELECT coalesce(max(id), 0) AS id FROM entry').get()?.['id']);
  }

  setProgress(id: number, progress: number): void {
    this.#database.prepare('UPDATE entry SET progress = ? WHERE id = ?').run(progress, id);
  }

  /** Marks a change as done. An undo marks the entries that it undoes; undoing the undo removes the marks. */
  finish({ id, call, undoes }: Pick<JournalEntry, 'id' | 'call' | 'undoes'>): void {
    this.#transaction(() => {
      this.#database.prepare(`UPDATE entry SET state = 'done' WHERE id = ?`).run(id);
      for (const undone of undoes) {
        this.#database.prepare('UPDATE entry SET undone_by = ? WHERE id = ?').run(call, undone);
        const [other] = this.#select('WHERE id = ?', undone);
        for (const again of other?.undoes ?? []) this.#database.prepare('UPDATE entry SET undone_by = NULL WHERE id = ?').run(again);
      }
    });
  }

  /** Returns the last calls that changed something and were not undone, newest first. Does not read the steps, which are large. */
  standingCalls(session: string | undefined, limit: number | undefined): string[] {
    return this.#database
      .prepare(
        `SELECT call FROM entry WHERE state = 'done' AND undone_by IS NULL AND undoes = '[]' AND (:session IS NULL OR session = :session)
         GROUP BY call ORDER BY max(id) DESC LIMIT :limit`,
      )
      .all({ session: session ?? null, limit: limit ?? -1 })
      .map(({ call }) => String(call));
  }

  /** Returns the calls or sessions whose id begins with a text. */
  idsBeginning(column: 'call' | 'session', start: string): string[] {
    return this.#database
      .prepare(`SELECT DISTINCT ${column} AS id FROM entry WHERE state = 'done' AND substr(${column}, 1, length(:start)) = :start ORDER BY id`)
      .all({ start })
      .map(({ id }) => String(id));
  }

  /** Returns changes by id, in the given order; skips unknown ids. */
  withIds(ids: readonly number[]): JournalEntry[] {
    return ids.flatMap((id) => this.#select(`WHERE state = 'done' AND id = ?`, id));
  }

  /**
   * Returns the changes from before a time that were undone, or done again, after it. Of one that is forgotten, the change that undid it: it was
   * older, so it may have been from before.
   */
  undoneAcross(time: number): JournalEntry[] {
    return this.#select(`WHERE state = 'done' AND undoes <> '[]' AND time >= ?`, time).flatMap((undo) => {
      const known = this.withIds(undo.undoes);
      return known.length < undo.undoes.length ? [undo] : known.filter((entry) => entry.time < time);
    });
  }

  /** Returns the changes from a time on, in milliseconds since 1970, oldest first. */
  doneSince(time: number): JournalEntry[] {
    return this.#select(`WHERE state = 'done' AND time >= ? ORDER BY id`, time);
  }

  /** Returns the steps of changes that used a stage folder of this name. */
  stepsOf(stage: string): Step[] {
    return this.#select('WHERE instr(steps, ?) > 0', JSON.stringify(stage)).flatMap(({ steps }) => steps);
  }

  /** Replaces the steps of a change by the actual ones, which include what the plan left open. */
  restate(id: number, steps: readonly Step[]): void {
    this.#database.prepare('UPDATE entry SET steps = ? WHERE id = ?').run(JSON.stringify(steps), id);
  }

  /** Deletes a change that did not happen. */
  drop(id: number): void {
    this.#database.prepare('DELETE FROM entry WHERE id = ?').run(id);
  }

  /** Returns the changes whose outcome was not recorded. */
  open(): JournalEntry[] {
    return this.#select(`WHERE state = 'open' ORDER BY id DESC`);
  }

  hasOpen(): boolean {
    return this.#database.prepare(`SELECT 1 FROM entry WHERE state = 'open' LIMIT 1`).get() !== undefined;
  }

  /** Returns the changes of a call or a session, or all changes, newest first. */
  done({ call, session }: { readonly call?: string; readonly session?: string } = {}): JournalEntry[] {
    const conditions = [`state = 'done'`, ...(call === undefined ? [] : ['call = ?']), ...(session === undefined ? [] : ['session = ?'])];
    const values = [call, session].filter((value) => value !== undefined);
    return this.#select(`WHERE ${conditions.join(' AND ')} ORDER BY id DESC`, ...values);
  }

  /** Returns all changes, newest first, up to one that is damaged. */
  readable(): { readonly entries: readonly JournalEntry[]; readonly isWhole: boolean } {
    const entries: JournalEntry[] = [];
    for (const row of this.#database.prepare(`SELECT * FROM entry WHERE state = 'done' ORDER BY id DESC`).iterate()) {
      const entry = entryOf(row);
      if (entry === undefined) return { entries, isWhole: false };
      entries.push(entry);
    }
    return { entries, isWhole: true };
  }

  /** Returns a change and all later ones, newest first. */
  since(id: number): JournalEntry[] {
    return this.#select(`WHERE state = 'done' AND id >= ? ORDER BY id DESC`, id);
  }

  /** Returns the ids of the first and last change of a call; undefined if it changed nothing. */
  idsOf(call: string): { readonly first: number; readonly last: number } | undefined {
    const row = this.#database.prepare(`SELECT min(id) AS first, max(id) AS last FROM entry WHERE state = 'done' AND call = ?`).get(call);
    const { first, last } = z.object({ first: z.int().nullable(), last: z.int().nullable() }).parse(row);
    return first === null || last === null ? undefined : { first, last };
  }

  /** Returns when the first change of a call was made, in milliseconds since 1970; undefined if it changed nothing. */
  timeOf(call: string): number | undefined {
    const row = this.#database.prepare(`SELECT time FROM entry WHERE state = 'done' AND call = ? ORDER BY id LIMIT 1`).get(call);
    return z.object({ time: z.int() }).optional().parse(row)?.time;
  }

  /** Returns the id of the first change at a time or later, in milliseconds since 1970; undefined if there is none. */
  firstSince(time: number): number | undefined {
    const row = this.#database.prepare(`SELECT min(id) AS first FROM entry WHERE state = 'done' AND time >= ?`).get(time);
    return z.object({ first: z.int().nullable() }).parse(row).first ?? undefined;
  }

  /** Reduces a failed change to the steps that could not be undone. */
  trim(id: number, steps: readonly Step[]): void {
    this.#database.prepare('UPDATE entry SET steps = ?, progress = NULL, undoes = ? WHERE id = ?').run(JSON.stringify(steps), '[]', id);
  }

  /** Deletes changes that are too old, and then the oldest ones until the contents fit into the limit in bytes. */
  prune(oldest: number, totalBytes: number): void {
    this.#transaction(() => {
      this.#database.prepare(`DELETE FROM entry WHERE state = 'done' AND time < ?`).run(oldest);
      this.inodeMap.prune(oldest);
      const last = this.#lastToForget(totalBytes);
      if (last === undefined) return;
      this.#database.prepare(`DELETE FROM entry WHERE state = 'done' AND id <= ? AND id IN (SELECT entry FROM entry_blob)`).run(last);
      this.#forgetPutBack(last);
    });
  }

  /** What a change put back that is forgotten counts as changed: what it was in before, nothing tells any more. */
  #forgetPutBack(last: number): void {
    const next = this.#database.prepare('SELECT min(time) AS time FROM entry WHERE id > ?').get(last)?.['time'];
    this.inodeMap.forgetPutBack(typeof next === 'number' ? next : Date.now() + 1);
  }

  /** Returns the id of the newest change to delete so that the rest fits; undefined if all changes fit. */
  #lastToForget(totalBytes: number): number | undefined {
    const total = this.#database.prepare('SELECT coalesce(sum(size), 0) AS bytes FROM blob WHERE sum IN (SELECT sum FROM entry_blob)').get();
    let over = Number(total?.['bytes']) - totalBytes;
    if (over <= 0) return undefined;
    // A content is deleted with the newest change that uses it. An open change keeps its contents.
    const contents = this.#database
      .prepare(
        `SELECT max(b.entry) AS last, blob.size AS size FROM entry_blob b JOIN blob USING (sum) JOIN entry e ON e.id = b.entry
         GROUP BY b.sum HAVING sum(e.state <> 'done') = 0 ORDER BY last`,
      )
      .iterate();
    let last: number | undefined;
    for (const row of contents) {
      if (over <= 0) break;
      last = Number(row['last']);
      over -= Number(row['size']);
    }
    return last;
  }

  /**
   * Removes unused contents, up to a number per call: thousands at once would delay a waiting change.
   *
   * @param after the position where the last call ended
   * @param remove removes a content; returns whether it is gone
   * @returns the position at which to continue; undefined after the last content
   */
  removeUnused(after: string, limit: number, remove: (sum: string) => boolean): string | undefined {
    return this.#transaction(() => {
      const rows = this.#database
        .prepare('SELECT sum FROM blob WHERE sum > ? AND NOT EXISTS (SELECT 1 FROM entry_blob e WHERE e.sum = blob.sum) ORDER BY sum LIMIT ?')
        .all(after, limit);
      const forget = this.#database.prepare('DELETE FROM blob WHERE sum = ?');
      for (const row of rows) {
        const sum = String(row['sum']);
        if (remove(sum)) forget.run(sum);
      }
      return rows.length < limit ? undefined : String(rows.at(-1)?.['sum']);
    });
  }

  [Symbol.dispose](): void {
    closeDatabase(this.#database);
  }

  /** Keeps who wrote files that the newest change brought from an area. They are forgotten with the change. */
  keepWritten(area: string, files: ReadonlyArray<readonly [path: string, text: string]>): void {
    this.#transaction(() => {
      const row = this.#database.prepare('SELECT max(entry) AS entry FROM entry_area WHERE area = ?').get(area);
      const { entry } = z.object({ entry: z.int().nullable() }).parse(row);
      if (entry === null) return;
      const insert = this.#database.prepare('INSERT OR REPLACE INTO entry_written (entry, path, written) VALUES (?, ?, ?)');
      for (const [path, text] of files) insert.run(entry, path, text);
    });
  }

  /** Returns what was kept of a file with a change. */
  writtenIn(entry: number, path: string): string | undefined {
    const row = this.#database.prepare('SELECT written FROM entry_written WHERE entry = ? AND path = ?').get(entry, path);
    return z.object({ written: z.string() }).optional().parse(row)?.written;
  }

  /** Whether a change that stands moved or deleted a folder at a path, with one character per byte (latin1). */
  tookFolder(path: string): boolean {
    const text = JSON.stringify(storePath(path.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')))));
    const isIt = (other: StoredPath): boolean => JSON.stringify(other) === text;
    const took = (step: Step): boolean =>
      step.kind === 'move' ? isIt(step.from) : isIt(step.path) && step.before?.type === 'folder' && step.after?.type !== 'folder';
    const rows = this.#database
      .prepare(`SELECT steps FROM entry WHERE undone_by IS NULL AND instr(steps, ?) > 0 ORDER BY id DESC LIMIT ${MAX_SEARCHED}`)
      .all(text);
    return rows.some((row) => jsonText(z.array(Step)).parse(row['steps']).some(took));
  }

  #select(where: string, ...values: Array<string | number>): JournalEntry[] {
    return this.#database
      .prepare(`SELECT * FROM entry ${where}`)
      .all(...values)
      .map((row) => entryOf(row) ?? damaged(row));
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Reads a change; undefined if it is damaged. */
function entryOf(row: unknown): JournalEntry | undefined {
  try {
    return JournalEntry.parse(row);
  } catch {
    // No JSON, or other JSON.
    return undefined;
  }
}

function damaged({ call }: Record<string, unknown>): never {
  throw new SynapseError('unavailable', `An entry of the undo journal is damaged: that of the call ${String(call).slice(0, 64)}.`, {
    hint: 'Nothing earlier can be shown or undone. What calls changed later can.',
  });
}
