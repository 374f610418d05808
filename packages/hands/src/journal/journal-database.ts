import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { openDatabase } from '../store/database.ts';
import { Step } from './step.ts';
import { areasIn, ENTRY_AREAS } from './kept-areas.ts';
import { SUCCESSORS, successorsIn } from './successors.ts';

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
  ${SUCCESSORS}
  ${ENTRY_AREAS}
`;

const jsonText = <T extends z.ZodType>(schema: T) => z.string().transform((text): z.output<T> => schema.parse(JSON.parse(text)));

const TooLarge = z.object({ path: z.string(), bytes: z.number(), limit: z.number() });

/** One change of the workspace, all of whose steps happened or none. */
export const JournalEntry = z.object({
  id: z.int(),
  call: z.string(),
  session: z.string().nullable(),
  tool: z.string(),
  /** Milliseconds since 1970. */
  time: z.int(),
  /** `open` until it is known what came of it. */
  state: z.enum(['open', 'done']),
  process: z.string(),
  /** Steps that were begun, where they happen one by one; null where they happen at once. */
  progress: z.int().nullable(),
  /** The entries that this one takes back. */
  undoes: jsonText(z.array(z.int())),
  /** The call that took it back. */
  undone_by: z.string().nullable(),
  /** What cannot be given back. */
  lost: jsonText(z.array(TooLarge)),
  steps: jsonText(z.array(Step)),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** What is known of a change before it is made. */
export type NewEntry = Pick<JournalEntry, 'call' | 'tool' | 'time' | 'process' | 'progress' | 'undoes' | 'lost' | 'steps'> & {
  readonly session: string | undefined;
};

/** The contents that steps hold, with their sizes. */
export function contentsOf(steps: readonly Step[]): Map<string, number> {
  const contents = new Map<string, number>();
  for (const step of steps) {
    if (step.kind === 'move') continue;
    for (const image of [step.before, step.after]) if (image?.type === 'file' && image.kept) contents.set(image.sha256, image.size);
  }
  return contents;
}

/** The index of a journal: which changes were made, in which order, of what. */
export class JournalDatabase implements Disposable {
  /** The name that a damaged database was given. */
  readonly setAside: string | undefined;
  readonly successors: ReturnType<typeof successorsIn>;
  readonly areas: ReturnType<typeof areasIn>;
  readonly #database: DatabaseSync;

  constructor(file: string) {
    const { database, setAside } = openDatabase(file, SCHEMA);
    this.#database = database;
    this.setAside = setAside;
    this.successors = successorsIn(database);
    this.areas = areasIn(database);
  }

  /** Writes down a change that is about to be made. */
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

  setProgress(id: number, progress: number): void {
    this.#database.prepare('UPDATE entry SET progress = ? WHERE id = ?').run(progress, id);
  }

  /** A change stands. One that takes others back marks them; one that takes that back unmarks them again. */
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

  /** The last calls that changed something and were not taken back, newest first. Steps are not read for that: they are much. */
  standingCalls(session: string | undefined, limit: number | undefined): string[] {
    return this.#database
      .prepare(
        `SELECT call FROM entry WHERE state = 'done' AND undone_by IS NULL AND undoes = '[]' AND (?1 IS NULL OR session = ?1)
         GROUP BY call ORDER BY max(id) DESC LIMIT ?2`,
      )
      .all(session ?? null, limit ?? -1)
      .map(({ call }) => String(call));
  }

  /** Changes by their ids, in that order; those that are not known are left out. */
  withIds(ids: readonly number[]): JournalEntry[] {
    return ids.flatMap((id) => this.#select(`WHERE state = 'done' AND id = ?`, id));
  }

  /** Writes down a change as it was found to be: what its plan left open is known by then. */
  restate(id: number, steps: readonly Step[]): void {
    this.#database.prepare('UPDATE entry SET steps = ? WHERE id = ?').run(JSON.stringify(steps), id);
  }

  /** Forgets a change that did not happen. */
  drop(id: number): void {
    this.#database.prepare('DELETE FROM entry WHERE id = ?').run(id);
  }

  /** Changes whose outcome was never written down. */
  open(): JournalEntry[] {
    return this.#select(`WHERE state = 'open' ORDER BY id DESC`);
  }

  hasOpen(): boolean {
    return this.#database.prepare(`SELECT 1 FROM entry WHERE state = 'open' LIMIT 1`).get() !== undefined;
  }

  /** The changes of a call or a session, or all of them, newest first. */
  done({ call, session }: { readonly call?: string; readonly session?: string } = {}): JournalEntry[] {
    const conditions = [`state = 'done'`, ...(call === undefined ? [] : ['call = ?']), ...(session === undefined ? [] : ['session = ?'])];
    const values = [call, session].filter((value) => value !== undefined);
    return this.#select(`WHERE ${conditions.join(' AND ')} ORDER BY id DESC`, ...values);
  }

  /** Keeps of a change only what could not be taken back when it failed. */
  trim(id: number, steps: readonly Step[]): void {
    this.#database.prepare('UPDATE entry SET steps = ?, progress = NULL, undoes = ? WHERE id = ?').run(JSON.stringify(steps), '[]', id);
  }

  /** Forgets changes that are too old, and the oldest where their contents are too much. */
  prune(oldest: number, totalBytes: number): void {
    this.#transaction(() => {
      this.#database.prepare(`DELETE FROM entry WHERE state = 'done' AND time < ?`).run(oldest);
      this.successors.prune(oldest);
      const last = this.#lastToForget(totalBytes);
      if (last === undefined) return;
      this.#database.prepare(`DELETE FROM entry WHERE state = 'done' AND id <= ? AND id IN (SELECT entry FROM entry_blob)`).run(last);
    });
  }

  /** The newest of the oldest changes without whose contents the rest is not too much; undefined where all may stay. */
  #lastToForget(totalBytes: number): number | undefined {
    const total = this.#database.prepare('SELECT coalesce(sum(size), 0) AS bytes FROM blob WHERE sum IN (SELECT sum FROM entry_blob)').get();
    let over = Number(total?.['bytes']) - totalBytes;
    if (over <= 0) return undefined;
    // A content goes with the newest change that has it; with one that is open it stays.
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
   * Removes contents that no change has, up to a number of them: thousands would hold up who waits for its change.
   *
   * @param after where the last time ended
   * @param remove removes a content; says whether it is gone
   * @returns where to go on; undefined once all were looked at
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
    if (this.#database.isOpen) this.#database.close();
  }

  #select(where: string, ...values: Array<string | number>): JournalEntry[] {
    return this.#database
      .prepare(`SELECT * FROM entry ${where}`)
      .all(...values)
      .map((row) => JournalEntry.parse(row));
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
