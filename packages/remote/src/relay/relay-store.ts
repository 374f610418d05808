import { SynapseError } from '@synapse/protocol';
import type { RelayedCall, RelayEffect, StoredSession } from '@synapse/protocol/remote';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** What a relay keeps, and how soon. */
export interface RelayStore extends Disposable {
  read(session: string): StoredSession;
  write(session: string, effect: Extract<RelayEffect, { type: 'store' }>): void;
  /** Makes durable what was written since the last time. */
  flush(): void;
}

const NOTHING: StoredSession = { epoch: 0, ledger: undefined, hands: undefined, calls: new Map() };

/** Keeps nothing: calls are found again, since each end keeps them. For tests, and for a relay that shall leave no trace. */
export const memoryStore = (): RelayStore => ({
  read: () => NOTHING,
  write: () => {},
  flush: () => {},
  [Symbol.dispose]: () => {},
});

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, epoch INTEGER NOT NULL, ledger TEXT, hands TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS calls (session TEXT NOT NULL, id TEXT NOT NULL, call TEXT NOT NULL, PRIMARY KEY (session, id)) STRICT, WITHOUT ROWID;
`;

/** Keeps sessions in SQLite, with one write to the disk for all that came in a turn. */
export class FileStore implements RelayStore {
  readonly #database: DatabaseSync;
  readonly #putSession: StatementSync;
  readonly #putCall: StatementSync;
  readonly #deleteCall: StatementSync;
  #open = false;

  /** @throws SynapseError `unavailable` where the file cannot be used */
  constructor(file: string) {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      this.#database = new DatabaseSync(file, { timeout: 0 });
      this.#database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`);
    } catch (error) {
      throw new SynapseError('unavailable', 'The records of the relay cannot be used.', {
        hint: 'Stop another relay that uses the same --data folder, and see that the folder can be written and its disk is not full.',
        cause: error,
      });
    }
    this.#putSession = this.#database.prepare(
      'INSERT INTO sessions VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, ledger = excluded.ledger, hands = excluded.hands',
    );
    this.#putCall = this.#database.prepare('INSERT INTO calls VALUES (?, ?, ?) ON CONFLICT (session, id) DO UPDATE SET call = excluded.call');
    this.#deleteCall = this.#database.prepare('DELETE FROM calls WHERE session = ? AND id = ?');
  }

  read(session: string): StoredSession {
    const row = this.#database.prepare('SELECT epoch, ledger, hands FROM sessions WHERE name = ?').get(session);
    const calls = this.#database.prepare('SELECT id, call FROM calls WHERE session = ?').all(session);
    return {
      epoch: Number(row?.['epoch'] ?? 0),
      ledger: typeof row?.['ledger'] === 'string' ? row['ledger'] : undefined,
      hands: typeof row?.['hands'] === 'string' ? row['hands'] : undefined,
      calls: new Map(calls.map(({ id, call }) => [String(id), JSON.parse(String(call)) as RelayedCall])),
    };
  }

  write(session: string, effect: Extract<RelayEffect, { type: 'store' }>): void {
    if (!this.#open) this.#database.exec('BEGIN');
    this.#open = true;
    if (effect.what === 'session') this.#putSession.run(session, effect.session.epoch, effect.session.ledger ?? null, effect.session.hands ?? null);
    else if (effect.call === undefined) this.#deleteCall.run(session, effect.id);
    else this.#putCall.run(session, effect.id, JSON.stringify(effect.call));
  }

  flush(): void {
    if (this.#open) this.#database.exec('COMMIT');
    this.#open = false;
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
