import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { knownId } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { AgentStatus } from '../agent/agent-result.ts';
import type { AgentSession, SessionCall } from '../agent/agent-session.ts';
import type { SharedBudget } from '../agent/shared-budget.ts';
import type { RecordedSession, SessionFile } from './session-file.ts';
import type { SessionRecord, SessionSetup } from './session-record.ts';
import { BUDGET_SCHEMA, openBudget } from './stored-budget.ts';
import { IMPORT_SCHEMA, importedRecord, insertImport } from './stored-import.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, setup TEXT NOT NULL, status TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS messages (
  session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, seq INTEGER NOT NULL, message TEXT NOT NULL,
  -- What was shortened stays for the export; only the newest generation is sent to a model.
  generation INTEGER NOT NULL, PRIMARY KEY (session, generation, seq)
) STRICT;
CREATE TABLE IF NOT EXISTS calls (
  session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, id TEXT NOT NULL, tool TEXT NOT NULL,
  message TEXT, PRIMARY KEY (session, id)
) STRICT;
`;
const WAIT_MS = 5_000;

const text = (value: SQLOutputValue | undefined): string => (typeof value === 'string' ? value : '');
const number = (value: SQLOutputValue | undefined): number => (typeof value === 'number' ? value : 0);

/** The sessions of agents, stored in the state folder. */
export class SessionStore implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @param stateFolder such as `defaultStateFolder()` */
  static open(stateFolder: string): SessionStore {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    const file = join(stateFolder, 'sessions.db');
    // Created here, so that only its owner can read it.
    closeSync(openSync(file, 'a', 0o600));
    const database = new DatabaseSync(file);
    // Set by statement, because Node 22 has no option for the timeout.
    database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    database.exec(SCHEMA);
    database.exec(BUDGET_SCHEMA);
    database.exec(IMPORT_SCHEMA);
    return new SessionStore(database);
  }

  /** An id for a session that is created later. */
  static newId(): string {
    return `s-${randomBytes(4).toString('hex')}`;
  }

  /** Creates a session. */
  create(setup: SessionSetup, id = SessionStore.newId()): AgentSession {
    const now = Date.now();
    this.#database
      .prepare('INSERT INTO sessions (id, workspace, setup, status, created, updated) VALUES (?, ?, ?, ?, ?, ?)')
      .run(id, setup.workspace, JSON.stringify(setup), 'running', now, now);
    return new StoredSession(this.#database, id);
  }

  /**
   * Opens a session to continue it.
   *
   * @throws SynapseError `not_found`; `denied` for one from a file, whose words a model would take for those of the person
   */
  resume(id: string): AgentSession {
    const { importedFrom } = this.get(id);
    if (importedFrom !== undefined) {
      throw new SynapseError('denied', `The session ${id} is from a file, and cannot be continued.`, {
        hint: `See what was said, or run its calls again: synapse sessions show ${id}, synapse replay ${id}`,
      });
    }
    return new StoredSession(this.#database, id);
  }

  /**
   * Stores a session from a file. Its id stays, unless there is one with that id already.
   *
   * @param workspace real path of the folder here
   */
  import(file: SessionFile, workspace: string): SessionRecord {
    const isKnown = this.#database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(file.session.id) !== undefined;
    const id = isKnown ? SessionStore.newId() : file.session.id;
    transact(this.#database, () => insertImport(this.#database, file, id, workspace));
    return this.get(id);
  }

  /** What came with a session from a file; undefined for one of this machine. */
  imported(id: string): RecordedSession | undefined {
    return importedRecord(this.#database, id);
  }

  /** Records how a run of a session ended. */
  finish(id: string, status: AgentStatus): void {
    this.#database.prepare('UPDATE sessions SET status = ?, updated = ? WHERE id = ?').run(status, Date.now(), id);
  }

  /** What several sessions spend together, by an id that their processes agree on. */
  budget(id: string): SharedBudget {
    return openBudget(this.#database, id);
  }

  /** Records the model that a session continues with. */
  changeModel(id: string, { model, baseUrl }: Pick<SessionSetup, 'model' | 'baseUrl'>): void {
    this.#changeSetup(id, { model, baseUrl });
  }

  /** Records that a session continues in the workspace: what it did in its branch was applied. */
  leaveBranch(id: string): void {
    this.#changeSetup(id, { branch: undefined });
  }

  /** Lists sessions, most recently updated first. A negative limit means all. */
  list(workspace?: string, limit = -1): SessionRecord[] {
    const rows =
      workspace === undefined
        ? this.#database.prepare('SELECT * FROM sessions ORDER BY updated DESC, id LIMIT ?').all(limit)
        : this.#database.prepare('SELECT * FROM sessions WHERE workspace = ? ORDER BY updated DESC, id LIMIT ?').all(workspace, limit);
    return rows.map((row) => this.#record(row));
  }

  /**
   * Returns a session.
   *
   * @throws SynapseError `not_found`
   */
  get(id: string): SessionRecord {
    const row = this.#database.prepare('SELECT * FROM sessions WHERE id = ?').get(id);
    if (row !== undefined) return this.#record(row);
    throw new SynapseError('not_found', `Session not found: ${id.slice(0, 80)}`, { hint: 'synapse sessions lists all of them.' });
  }

  /**
   * Returns the session that a person means by its id or the beginning of it.
   *
   * @throws SynapseError `not_found` with the nearest; `conflict` if it begins several
   */
  named(id: string): SessionRecord {
    const known = this.#database
      .prepare('SELECT id FROM sessions ORDER BY updated DESC')
      .all()
      .map((row) => text(row['id']));
    return this.get(knownId(id, known, { what: 'session', list: 'synapse sessions lists all of them.' }));
  }

  /** Returns all messages of a session in full, before any shortening. */
  messages(id: string): LanguageModelV4Message[] {
    this.get(id);
    return new StoredSession(this.#database, id).everything();
  }

  /** The calls of a session in order of their start. A call without an end runs, or was interrupted. */
  calls(id: string): { readonly id: string; readonly ended: boolean }[] {
    const rows = this.#database.prepare('SELECT id, message IS NOT NULL AS ended FROM calls WHERE session = ? ORDER BY rowid').all(id);
    return rows.map((row) => ({ id: text(row['id']), ended: row['ended'] === 1 }));
  }

  /** A number that changes when another process writes. Costs less than a list. */
  version(): number {
    return number(this.#database.prepare('PRAGMA data_version').get()?.['data_version']);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #changeSetup(id: string, changed: Partial<SessionSetup>): void {
    const { workspace, model, baseUrl, protocol, dialect, remote, branch, task, importedFrom } = this.get(id);
    const setup: SessionSetup = { workspace, model, baseUrl, protocol, dialect, remote, branch, task, importedFrom, ...changed };
    this.#database.prepare('UPDATE sessions SET setup = ? WHERE id = ?').run(JSON.stringify(setup), id);
  }

  #record(row: Record<string, SQLOutputValue>): SessionRecord {
    const id = text(row['id']);
    const setup = JSON.parse(text(row['setup'])) as SessionSetup;
    const count = this.#database.prepare('SELECT count(*) AS calls FROM calls WHERE session = ?').get(id);
    return {
      ...setup,
      id,
      status: text(row['status']) as SessionRecord['status'],
      createdAt: number(row['created']),
      updatedAt: number(row['updated']),
      calls: number(count?.['calls']),
    };
  }
}

/** A session that survives when its process is killed. */
class StoredSession implements AgentSession {
  readonly id: string;
  readonly #database: DatabaseSync;
  #generation: number;
  #messages: LanguageModelV4Message[];
  #turns: number;
  /** Calls that an earlier process started but did not finish. */
  readonly #interrupted: ReadonlySet<string>;

  constructor(database: DatabaseSync, id: string) {
    this.id = id;
    this.#database = database;
    const row = database.prepare('SELECT max(generation) AS newest FROM messages WHERE session = ?').get(id);
    this.#generation = number(row?.['newest']);
    this.#messages = this.#read(this.#generation);
    const turns = database.prepare(
      `SELECT count(*) AS turns FROM messages WHERE session = ? AND generation = 0 AND json_extract(message, '$.role') = 'assistant'`,
    );
    this.#turns = number(turns.get(id)?.['turns']);
    const open = database.prepare('SELECT id FROM calls WHERE session = ? AND message IS NULL').all(id);
    this.#interrupted = new Set(open.map((call) => text(call['id'])));
  }

  get messages(): readonly LanguageModelV4Message[] {
    return this.#messages;
  }

  get turns(): number {
    return this.#turns;
  }

  add(message: LanguageModelV4Message): void {
    transact(this.#database, () => {
      this.#insert(this.#generation, this.#messages.length, message);
      // The full record needs it as well.
      if (this.#generation > 0) this.#insert(0, this.#countWhole(), message);
    });
    this.#messages.push(message);
    if (message.role === 'assistant') this.#turns += 1;
  }

  replace(messages: readonly LanguageModelV4Message[]): void {
    const next = this.#generation + 1;
    transact(this.#database, () => {
      for (const [index, message] of messages.entries()) this.#insert(next, index, message);
      if (this.#generation > 0) this.#database.prepare('DELETE FROM messages WHERE session = ? AND generation = ?').run(this.id, this.#generation);
    });
    this.#generation = next;
    this.#messages = [...messages];
  }

  everything(): LanguageModelV4Message[] {
    return this.#read(0);
  }

  call(callId: string): SessionCall | undefined {
    const row = this.#database.prepare('SELECT message FROM calls WHERE session = ? AND id = ?').get(this.id, callId);
    if (row === undefined) return undefined;
    if (typeof row['message'] === 'string') return { state: 'done', message: row['message'] };
    return { state: this.#interrupted.has(callId) ? 'interrupted' : 'started' };
  }

  /** Waits for the disk, and thus for everything written before. No call runs again even after a power failure. */
  startCall(callId: string, tool: string): void {
    this.#database.exec('PRAGMA synchronous = FULL');
    try {
      this.#database.prepare('INSERT INTO calls (session, id, tool) VALUES (?, ?, ?)').run(this.id, callId, tool);
    } finally {
      this.#database.exec('PRAGMA synchronous = NORMAL');
    }
  }

  endCall(callId: string, message: string): void {
    this.#database.prepare('UPDATE calls SET message = ? WHERE session = ? AND id = ?').run(message, this.id, callId);
  }

  #countWhole(): number {
    const row = this.#database.prepare('SELECT count(*) AS messages FROM messages WHERE session = ? AND generation = 0').get(this.id);
    return number(row?.['messages']);
  }

  #insert(generation: number, seq: number, message: LanguageModelV4Message): void {
    this.#database
      .prepare('INSERT INTO messages (session, generation, seq, message) VALUES (?, ?, ?, ?)')
      .run(this.id, generation, seq, JSON.stringify(message, bytesAsBase64));
    this.#database.prepare('UPDATE sessions SET updated = ? WHERE id = ?').run(Date.now(), this.id);
  }

  #read(generation: number): LanguageModelV4Message[] {
    const rows = this.#database.prepare('SELECT message FROM messages WHERE session = ? AND generation = ? ORDER BY seq').all(this.id, generation);
    // Only this store writes these rows.
    return rows.map((row) => JSON.parse(text(row['message'])) as LanguageModelV4Message);
  }
}

function transact(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Images may be held as bytes, which JSON would write number by number. */
function bytesAsBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
