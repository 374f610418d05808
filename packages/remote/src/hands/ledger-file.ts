import { SynapseError } from '@synapse/protocol';
import { droppedResult, type FinishedCall, type LedgerCall, type LedgerRow, type LedgerView, type ResultFacts } from '@synapse/protocol/remote';
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, fdatasyncSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { CONFIRMED_SCHEMA, ConfirmedBodies, KEPT_BODIES } from './confirmed-bodies.ts';
import { isCopy, PLACE_SCHEMA } from './ledger-place.ts';
import { DAYS_SCHEMA, keptFrom } from './seen-days.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS ledger (id TEXT PRIMARY KEY, horizon INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS calls (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL, owner TEXT, state TEXT NOT NULL, call TEXT, result TEXT, body TEXT,
    at INTEGER NOT NULL
  ) STRICT;
  DROP INDEX IF EXISTS calls_open;
  ${CONFIRMED_SCHEMA}
  ${DAYS_SCHEMA}
  ${PLACE_SCHEMA}
`;

function toRow({ id, hash, state, call, result, owner }: Record<string, SQLOutputValue>): LedgerRow {
  return {
    id: String(id),
    hash: String(hash),
    state: String(state) as LedgerRow['state'],
    ...(typeof owner === 'string' ? { owner } : {}),
    ...(typeof call === 'string' ? { call: JSON.parse(call) as LedgerCall } : {}),
    ...(typeof result === 'string' ? { result: JSON.parse(result) as ResultFacts } : {}),
  };
}

/** Migrates ledgers of earlier versions, which have no paired devices. */
function addOwners(database: DatabaseSync): void {
  const known = database.prepare("SELECT 1 FROM pragma_table_info('calls') WHERE name = 'owner'").get();
  if (known === undefined) database.exec('ALTER TABLE calls ADD COLUMN owner TEXT');
}

/** SQLite's error code for a damaged file (SQLITE_CORRUPT). */
const CORRUPT = 11;

const damage = (text: string): Error => Object.assign(new Error(text), { errcode: CORRUPT });

/** The size of a file in bytes; undefined if there is none. */
const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

/** Checks all pages. @throws an error with SQLite's code if a page is damaged */
function checkPages(database: DatabaseSync): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw damage(String(found));
}

/** Explains why a ledger cannot be opened, and what to do. Error codes are SQLite's. */
function unusable(error: unknown, file: string): SynapseError {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  switch (code) {
    case 5:
      return new SynapseError('busy', 'This session is already connected from this machine.', {
        hint: 'Stop the other `synapse connect`, or use another --name.',
        cause: error,
      });
    case CORRUPT:
    case 26:
      return new SynapseError('unavailable', 'The ledger of this session is damaged, so it is not known which calls ran.', {
        hint: `Move its folder away and connect again: ${dirname(file)}. Calls from before will answer that another machine had them.`,
        cause: error,
      });
    default:
      return new SynapseError('unavailable', 'The ledger of this session cannot be used.', {
        hint: 'See that the state folder can be written and its disk is not full. No call runs without the ledger.',
        cause: error,
      });
  }
}

interface PendingRow {
  readonly row: LedgerRow;
  readonly body: string | undefined;
}

/** Waits until the disk has the data of an open file. */
export interface Disk {
  readonly wait: (file: number) => void;
  readonly waitLater: (file: number) => Promise<void>;
}

/** SQLite in Node uses `fsync`, which also waits for the time stamps of the file. */
const DISK: Disk = { wait: fdatasyncSync, waitLater: promisify(fdatasync) };

/** Refuses a ledger without its content or its journal: calls that ran could run again. */
function assertWhole(file: string, journal: number | undefined, mark: string): void {
  // SQLite would begin a new ledger and delete the journal.
  const isEmpty = (sizeOf(file) ?? 0) === 0;
  if ((journal ?? 0) > 0 && isEmpty) throw unusable(damage('The file is empty.'), file);
  // Without its journal, it would open as it was when the journal began.
  if (journal === undefined && !isEmpty && sizeOf(mark) !== undefined) throw unusable(damage('The journal is gone.'), file);
}

/** The calls that this machine accepted and ran, in SQLite. Only one process at a time can open it. */
export class LedgerFile implements LedgerView, Disposable {
  readonly id: string;
  /** Whether the file was copied or restored since it was last open. Then it has a new id, so calls for the other one do not run. */
  readonly isCopy: boolean;
  /** A file that exists while the ledger is open, and after a kill: then it has a journal. */
  readonly #mark: string;
  readonly #database: DatabaseSync;
  /** SQLite's journal, opened a second time, to wait for the disk only where that is needed. */
  readonly #journal: number;
  readonly #disk: Disk;
  /** Whether the journal has rows that the disk may not have. */
  #isAhead = false;
  #syncing: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #body: StatementSync;
  /** Rows of this turn. Of several of one call, only the last is written. */
  readonly #pending = new Map<string, PendingRow>();
  readonly #confirmed: ConfirmedBodies;
  #horizon = 0;
  #keptFrom = 0;

  /** @throws SynapseError `busy` if another process has it open; `unavailable` if it cannot be used */
  constructor(file: string, now = Date.now(), kept = KEPT_BODIES, disk = DISK) {
    this.#disk = disk;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A process that exits cleanly leaves no journal behind.
    const journal = sizeOf(`${file}-wal`);
    this.#mark = `${file}-open`;
    assertWhole(file, journal, this.#mark);
    try {
      // Only for its owner: SQLite would follow the umask, and gives its journal the mode of the file.
      closeSync(openSync(file, 'a', 0o600));
      this.#database = new DatabaseSync(file);
    } catch (error) {
      throw unusable(error, file);
    }
    try {
      // FULL: the name of the journal, too, survives a power failure. EXCLUSIVE: two processes with one ledger would run calls twice.
      // A process that only checks whether the session is served holds the ledger for an instant.
      this.#database.exec('PRAGMA busy_timeout = 500');
      this.#database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
      // A damaged page that is not read at startup could hide a call that already ran.
      if (journal !== undefined) checkPages(this.#database);
      this.#database.exec(SCHEMA);
      addOwners(this.#database);
      this.#database.prepare('INSERT INTO ledger SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM ledger)').run(randomUUID());
      this.isCopy = isCopy(this.#database, file);
      if (this.isCopy) this.#beginAnew();
      this.#horizon = Number(this.#database.prepare('SELECT horizon FROM ledger').get()?.['horizon']);
      this.#forget(now);
      // In WAL mode, NORMAL writes each transaction, and waits for the disk only before it moves them to the database.
      this.#database.exec('COMMIT; PRAGMA synchronous = NORMAL');
      this.#journal = openSync(`${file}-wal`, 'r+');
    } catch (error) {
      this.#database.close();
      throw unusable(error, file);
    }
    this.id = String(this.#database.prepare('SELECT id FROM ledger').get()?.['id']);
    this.#confirmed = new ConfirmedBodies(this.#database, kept);
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
    this.#get = this.#database.prepare('SELECT id, hash, owner, state, call, result FROM calls WHERE id = ?');
    this.#put = this.#database.prepare(
      `INSERT INTO calls (id, hash, owner, state, call, result, body, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, call = excluded.call, result = excluded.result, body = excluded.body`,
    );
    this.#body = this.#database.prepare('SELECT result, body FROM calls WHERE id = ?');
    this.#setMark();
  }

  /** The other copy may have run any call of this ledger, or may still run it: none runs here. What ended before is still known. */
  #beginAnew(): void {
    this.#database.prepare('UPDATE ledger SET id = ?').run(randomUUID());
    this.#database.exec("UPDATE calls SET state = 'started' WHERE state = 'accepted'");
  }

  #setMark(): void {
    try {
      writeFileSync(this.#mark, '', { mode: 0o600 });
    } catch {
      // On a full disk, only the loss of the journal after a kill is not noticed.
    }
  }

  get horizon(): number {
    return this.#horizon;
  }

  /** The time from which on calls, and their output, are kept. */
  get keptFrom(): number {
    return this.#keptFrom;
  }

  /** A call that arrives again does not run again while its row is here. Later, calls of its age are refused. */
  #forget(now: number): void {
    const time = keptFrom(this.#database, now);
    this.#keptFrom = time;
    const old = "state = 'done' AND at < ?";
    const latest = this.#database.prepare(`SELECT max(at) AS latest FROM calls WHERE ${old}`).get(time)?.['latest'];
    if (typeof latest !== 'number') return;
    this.#database.prepare(`DELETE FROM calls WHERE ${old}`).run(time);
    // Calls are refused that were made before this time, as their brains say: all that are forgotten. It does not follow the clock, which
    // may be wrong for a moment.
    this.#horizon = Math.max(this.#horizon, latest + 1);
    this.#database.prepare('UPDATE ledger SET horizon = ?').run(this.#horizon);
  }

  /** Forgets calls that ended more than a week ago, in which the ledger was in use. */
  forget(now = Date.now()): void {
    this.#write(() => this.#forget(now));
  }

  /** Lets go of the bodies of these results, in time: their brains have them. Written by {@link sync}, or once there are many. */
  confirm(ids: readonly string[]): void {
    this.#confirmed.add(ids);
    if (this.#confirmed.isDue) this.#write(() => this.#confirmed.write());
  }

  #write(work: () => void): void {
    this.#begin.run();
    work();
    this.#commit.run();
  }

  get(id: string): LedgerRow | undefined {
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending.row;
    const row = this.#get.get(id);
    return row === undefined ? undefined : toRow(row);
  }

  /** Returns the result of a finished call. */
  result(id: string): FinishedCall | undefined {
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending.row.result && { ...pending.row.result, body: pending.body ?? '' };
    const row = this.#body.get(id);
    if (typeof row?.['result'] !== 'string') return undefined;
    const facts = JSON.parse(row['result']) as ResultFacts;
    return typeof row['body'] === 'string' ? { ...facts, body: row['body'] } : droppedResult(facts.status);
  }

  /** Returns the unfinished calls. */
  open(): LedgerRow[] {
    return this.#database.prepare("SELECT id, hash, owner, state, call, result FROM calls WHERE state <> 'done' ORDER BY at").all().map(toRow);
  }

  /** Counts the calls by state. */
  counts(): Record<string, number> {
    const rows = this.#database.prepare('SELECT state, COUNT(*) AS number FROM calls GROUP BY state').all();
    return Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['number'])]));
  }

  /** Writes a row. It is durable once {@link flush} returns. */
  put(row: LedgerRow, body?: string): void {
    const madeAt = row.madeAt ?? this.#pending.get(row.id)?.row.madeAt;
    this.#pending.set(row.id, { row: madeAt === undefined ? row : { ...row, madeAt }, body });
  }

  /** Makes all pending rows durable with one write to the disk. */
  flush(): void {
    if (this.#pending.size === 0) return;
    this.#writeRows([...this.#pending.values()]);
    this.#pending.clear();
    this.#disk.wait(this.#journal);
    this.#isAhead = false;
  }

  /**
   * Writes the pending rows of calls that ended, without waiting for the disk: a process that is killed keeps them, and a loss of power may
   * lose them. {@link sync} and the next {@link flush} make them durable. The other rows still wait.
   */
  flushEnded(): void {
    const ended = [...this.#pending.values()].filter(({ row }) => row.state === 'done');
    this.#writeRows(ended);
    for (const { row } of ended) this.#pending.delete(row.id);
  }

  /** Writes what was confirmed, and waits in the background until the disk has what {@link flushEnded} wrote. */
  async sync(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#confirmed.isWaiting) this.#write(() => this.#confirmed.write());
    if (!this.#isAhead) return;
    this.#isAhead = false;
    const syncing = this.#disk.waitLater(this.#journal);
    this.#syncing = syncing.catch(() => {});
    await syncing;
  }

  #writeRows(rows: readonly PendingRow[]): void {
    if (rows.length === 0) return;
    const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
    const put = (): void => {
      for (const { row, body = null } of rows) {
        const { id, hash, owner = null, state, call, result, madeAt = 0 } = row;
        this.#put.run(id, hash, owner, state, json(call), json(result), body, Math.max(Date.now(), madeAt));
      }
    };
    // One row is a transaction by itself.
    if (rows.length === 1) put();
    else this.#write(put);
    this.#isAhead = true;
  }

  #writeConfirmed(): void {
    if (!this.#confirmed.isWaiting) return;
    try {
      this.#write(() => this.#confirmed.write());
    } catch {
      // Such as on a full disk, which must not keep it from closing. These results are kept for a week then.
    }
  }

  [Symbol.dispose](): void {
    // Not `isOpen`: older releases of Node 22 do not have it.
    if (this.#isClosed) return;
    this.#isClosed = true;
    // First: a kill in between must not look like a lost journal.
    try {
      rmSync(this.#mark, { force: true });
      this.#writeConfirmed();
    } finally {
      this.#database.close();
      void this.#syncing.then(() => closeSync(this.#journal));
    }
  }
}
