import { SynapseError } from '@synapse/protocol';
import { NEW_SESSION, RemoteGrant, type RelayedCall, type RelayEffect, type StoredSession } from '@synapse/protocol/remote';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import * as z from 'zod';

/** A change to the stored state of a session. */
export type StoreEffect = Extract<RelayEffect, { type: 'store' }>;

/** The storage of a relay. */
export interface RelayStore extends Disposable {
  /** Whether other relays write here too. Then nothing is sent before a write confirms that this relay still holds the session. */
  readonly isShared: boolean;
  /** Whether this relay may act for a session. Of several relays with shared storage, only one may at a time. */
  holds(session: string): boolean;
  read(session: string): StoredSession;
  write(session: string, effect: StoreEffect): void;
  /** Makes all pending writes durable. @returns sessions for which nothing may be sent, because another relay may hold them */
  flush(): readonly string[] | Promise<readonly string[]>;
}

const NONE: readonly string[] = [];

/** Creates a store that keeps nothing. Calls are recovered, because both ends keep them. For tests and relays that leave no trace. */
export const memoryStore = (): RelayStore => ({
  isShared: false,
  holds: () => true,
  read: () => NEW_SESSION,
  write: () => {},
  flush: () => NONE,
  [Symbol.dispose]: () => {},
});

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    name TEXT PRIMARY KEY, epoch INTEGER NOT NULL, ledger TEXT, hands TEXT, owner TEXT, grants TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS calls (session TEXT NOT NULL, id TEXT NOT NULL, call TEXT NOT NULL, PRIMARY KEY (session, id)) STRICT, WITHOUT ROWID;
`;

/** Stores sessions in SQLite, with one write to the disk per turn. */
export class FileStore implements RelayStore {
  readonly isShared = false;
  readonly #database: DatabaseSync;
  #isClosed = false;
  readonly #putSession: StatementSync;
  readonly #putCall: StatementSync;
  readonly #deleteCall: StatementSync;
  #open = false;

  /** @throws SynapseError `unavailable` if the file cannot be used */
  constructor(file: string) {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // Only for its owner, also in a folder that others can read: SQLite would follow the umask.
      if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
      this.#database = new DatabaseSync(file);
      this.#database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`);
    } catch (error) {
      throw new SynapseError('unavailable', 'The records of the relay cannot be used.', {
        hint: 'Stop another relay that uses the same --data folder, and see that the folder can be written and its disk is not full.',
        cause: error,
      });
    }
    this.#putSession = this.#database.prepare(
      `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
       epoch = excluded.epoch, ledger = excluded.ledger, hands = excluded.hands, owner = excluded.owner, grants = excluded.grants`,
    );
    this.#putCall = this.#database.prepare('INSERT INTO calls VALUES (?, ?, ?) ON CONFLICT (session, id) DO UPDATE SET call = excluded.call');
    this.#deleteCall = this.#database.prepare('DELETE FROM calls WHERE session = ? AND id = ?');
  }

  /** Always true, because the file is locked against other relays. */
  holds(): boolean {
    return true;
  }

  read(session: string): StoredSession {
    const row = this.#database.prepare('SELECT * FROM sessions WHERE name = ?').get(session);
    const calls = this.#database.prepare('SELECT id, call FROM calls WHERE session = ?').all(session);
    const textOf = (name: string): string | undefined => (typeof row?.[name] === 'string' ? row[name] : undefined);
    const grants = textOf('grants');
    return {
      epoch: Number(row?.['epoch'] ?? 0),
      ledger: textOf('ledger'),
      hands: textOf('hands'),
      owner: textOf('owner'),
      grants: grants === undefined ? undefined : z.array(RemoteGrant).parse(JSON.parse(grants)),
      calls: new Map(calls.map(({ id, call }) => [String(id), JSON.parse(String(call)) as RelayedCall])),
    };
  }

  write(session: string, effect: StoreEffect): void {
    if (!this.#open) this.#database.exec('BEGIN');
    this.#open = true;
    if (effect.what === 'session') {
      const { epoch, ledger = null, hands = null, owner = null, grants } = effect.session;
      this.#putSession.run(session, epoch, ledger, hands, owner, grants === undefined ? null : JSON.stringify(grants));
    } else if (effect.call === undefined) this.#deleteCall.run(session, effect.id);
    else this.#putCall.run(session, effect.id, JSON.stringify(effect.call));
  }

  flush(): readonly string[] {
    if (this.#open) this.#database.exec('COMMIT');
    this.#open = false;
    return NONE;
  }

  [Symbol.dispose](): void {
    // Not `isOpen`: older releases of Node 22 do not have it.
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
  }
}
