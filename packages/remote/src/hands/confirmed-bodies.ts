import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** How much is kept of results that their brains have: they may be asked for again by the id of the call. */
export interface KeptBodies {
  readonly bytes: number;
  readonly count: number;
}

export const KEPT_BODIES: KeptBodies = { bytes: 67_108_864, count: 10_000 };

export const CONFIRMED_SCHEMA = 'CREATE TABLE IF NOT EXISTS confirmed (n INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;';

/** The results whose brains have confirmed them, oldest first. Beyond a limit, their bodies are dropped; that they ended stays known. */
export class ConfirmedBodies {
  readonly #most: KeptBodies;
  readonly #size: StatementSync;
  readonly #add: StatementSync;
  readonly #drop: StatementSync;
  readonly #remove: StatementSync;
  /** Those in the ledger, with their place and size. */
  readonly #kept = new Map<string, { readonly n: number; readonly size: number }>();
  /** Those to write. */
  readonly #waiting = new Set<string>();
  #bytes = 0;
  #next = 1;

  constructor(database: DatabaseSync, most: KeptBodies) {
    this.#most = most;
    this.#size = database.prepare('SELECT octet_length(body) AS size FROM calls WHERE id = ?');
    this.#add = database.prepare('INSERT INTO confirmed VALUES (?, ?)');
    this.#drop = database.prepare('UPDATE calls SET body = NULL WHERE id = ?');
    this.#remove = database.prepare('DELETE FROM confirmed WHERE n = ?');
    for (const row of database.prepare('SELECT n, id FROM confirmed ORDER BY n').all()) this.#keep(String(row['id']), Number(row['n']));
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether there is enough to write that it should not wait. */
  get isDue(): boolean {
    return this.#waiting.size >= 256;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) if (!this.#kept.has(id)) this.#waiting.add(id);
  }

  #keep(id: string, n: number): void {
    const size = Number(this.#size.get(id)?.['size'] ?? 0);
    this.#kept.set(id, { n, size });
    this.#bytes += size;
    this.#next = n + 1;
  }

  /** Writes what waits, and drops the oldest bodies beyond the limit. Call it in a transaction. */
  write(): void {
    for (const id of this.#waiting) {
      this.#add.run(this.#next, id);
      this.#keep(id, this.#next);
    }
    this.#waiting.clear();
    for (const [id, { n, size }] of this.#kept) {
      if (this.#bytes <= this.#most.bytes && this.#kept.size <= this.#most.count) return;
      this.#drop.run(id);
      this.#remove.run(n);
      this.#kept.delete(id);
      this.#bytes -= size;
    }
  }
}
