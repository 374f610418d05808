import { SynapseError } from '@synapse/protocol';
import type { FinishedCall, LedgerCall, LedgerRow, LedgerView, ResultFacts } from '@synapse/protocol/remote';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';

/** A call that was delivered is remembered for a week, so that it is not run again however late it comes back. */
const KEEP_MS = 7 * 86_400_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS ledger (id TEXT PRIMARY KEY, horizon INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS calls (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL, state TEXT NOT NULL, call TEXT, result TEXT, body TEXT,
    received INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS calls_open ON calls (state) WHERE state <> 'done';
`;

function toRow({ id, hash, state, call, result }: Record<string, SQLOutputValue>): LedgerRow {
  return {
    id: String(id),
    hash: String(hash),
    state: String(state) as LedgerRow['state'],
    ...(typeof call === 'string' ? { call: JSON.parse(call) as LedgerCall } : {}),
    ...(typeof result === 'string' ? { result: JSON.parse(result) as ResultFacts } : {}),
  };
}

/** What this machine promised and did, in SQLite. Only one process at a time has it open. */
export class LedgerFile implements LedgerView, Disposable {
  readonly id: string;
  readonly horizon: number;
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #body: StatementSync;
  readonly #received: StatementSync;
  #open = false;

  /** @throws SynapseError `busy` where another process has it; `unavailable` where it cannot be used */
  constructor(file: string, now = Date.now()) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#database = new DatabaseSync(file, { timeout: 0 });
    try {
      // FULL: what is committed survives a loss of power. EXCLUSIVE: two processes with one ledger would run calls twice.
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
      this.#database.exec(SCHEMA);
      this.#database.prepare('INSERT INTO ledger SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM ledger)').run(randomUUID());
      const forgotten = this.#database.prepare("DELETE FROM calls WHERE state = 'done' AND at < ?").run(now - KEEP_MS);
      if (Number(forgotten.changes) > 0) this.#database.prepare('UPDATE ledger SET horizon = ?').run(now - KEEP_MS);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.close();
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === 5;
      throw isBusy
        ? new SynapseError('busy', 'This session is already connected from this machine.', {
            hint: 'Stop the other `synapse connect`, or use another --name.',
            cause: error,
          })
        : new SynapseError('unavailable', 'The ledger of this session cannot be used.', {
            hint: 'See that the state folder can be written and its disk is not full. No call runs without the ledger.',
            cause: error,
          });
    }
    const row = this.#database.prepare('SELECT id, horizon FROM ledger').get();
    this.id = String(row?.['id']);
    this.horizon = Number(row?.['horizon']);
    this.#get = this.#database.prepare('SELECT id, hash, state, call, result FROM calls WHERE id = ?');
    this.#put = this.#database.prepare(
      `INSERT INTO calls (id, hash, state, call, result, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, call = excluded.call, result = excluded.result, body = excluded.body`,
    );
    this.#body = this.#database.prepare('SELECT result, body FROM calls WHERE id = ?');
    this.#received = this.#database.prepare('UPDATE calls SET received = 1 WHERE id = ?');
  }

  get(id: string): LedgerRow | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toRow(row);
  }

  /** The result of a call that is done. */
  result(id: string): FinishedCall | undefined {
    const row = this.#body.get(id);
    if (typeof row?.['result'] !== 'string') return undefined;
    return { ...(JSON.parse(row['result']) as ResultFacts), body: String(row['body'] ?? '') };
  }

  /** The calls that are not done. */
  open(): LedgerRow[] {
    return this.#database.prepare("SELECT id, hash, state, call, result FROM calls WHERE state <> 'done' ORDER BY at").all().map(toRow);
  }

  /** How many calls stand how, for a person. */
  counts(): Record<string, number> {
    const rows = this.#database.prepare('SELECT state, COUNT(*) AS number FROM calls GROUP BY state').all();
    return Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['number'])]));
  }

  #begin(): void {
    if (!this.#open) this.#database.exec('BEGIN');
    this.#open = true;
  }

  /** Writes a row. Durable once {@link flush} returns. */
  put({ id, hash, state, call, result }: LedgerRow, body?: string): void {
    this.#begin();
    const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
    this.#put.run(id, hash, state, json(call), json(result), body ?? null, Date.now());
  }

  markReceived(id: string): void {
    this.#begin();
    this.#received.run(id);
  }

  /** Makes everything durable that was written since the last time: one write to the disk for all of it. */
  flush(): void {
    if (this.#open) this.#database.exec('COMMIT');
    this.#open = false;
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
