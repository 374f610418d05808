import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { closeDatabase, openDatabase } from '../../state/database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tool_pin (
    workspace TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    hash TEXT NOT NULL,
    description TEXT NOT NULL,
    schema TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    PRIMARY KEY (workspace, server, tool)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS seen (
    workspace TEXT NOT NULL,
    what TEXT NOT NULL,
    hash TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    PRIMARY KEY (workspace, what)
  ) STRICT, WITHOUT ROWID;
`;

const PIN = z.object({ tool: z.string(), hash: z.string(), description: z.string(), schema: z.string() });

/** An approved tool definition. */
export type Pin = z.output<typeof PIN>;

/** What the user approved, by project and server. Everything else needs approval. */
export class PinStore implements Disposable {
  /** New name of a damaged store that was replaced on opening. */
  readonly setAside: string | undefined;
  readonly #database: DatabaseSync;
  readonly #workspace: string;

  /** @throws SynapseError `unavailable` if it cannot be opened or created */
  constructor(stateFolder: string, workspace: string) {
    const { database, setAside } = openDatabase(join(stateFolder, 'mcp.db'), SCHEMA);
    this.#database = database;
    this.#workspace = workspace;
    this.setAside = setAside;
  }

  /** Returns the pinned tools of a server by their names on it; undefined for a new server. */
  tools(server: string): ReadonlyMap<string, Pin> | undefined {
    if (this.seen(`server ${server}`) === undefined) return undefined;
    const rows = this.#database.prepare('SELECT * FROM tool_pin WHERE workspace = ? AND server = ?').all(this.#workspace, server);
    return new Map(rows.map((row) => PIN.parse(row)).map((pin) => [pin.tool, pin]));
  }

  /** Pins tools of a server in one transaction; replaces earlier pins. */
  pin(server: string, pins: readonly Pin[]): void {
    const insert = this.#database.prepare('INSERT OR REPLACE INTO tool_pin VALUES (?, ?, ?, ?, ?, ?, ?)');
    const now = Date.now();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.see(`server ${server}`, '');
      for (const { tool, hash, description, schema } of pins) insert.run(this.#workspace, server, tool, hash, description, schema, now);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Returns the stored hash of something; undefined if it was never seen. */
  seen(what: string): string | undefined {
    const row = this.#database.prepare('SELECT hash FROM seen WHERE workspace = ? AND what = ?').get(this.#workspace, what);
    return typeof row?.['hash'] === 'string' ? row['hash'] : undefined;
  }

  /** Stores a hash of something. */
  see(what: string, hash: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)').run(this.#workspace, what, hash, Date.now());
  }

  [Symbol.dispose](): void {
    closeDatabase(this.#database);
  }
}
