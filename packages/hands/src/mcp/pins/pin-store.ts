import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { openDatabase } from '../../store/database.ts';

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

/** A tool's definition as a person let it in. */
export type Pin = z.output<typeof PIN>;

/** What a person let in, by project and server. What is not in here needs their yes. */
export class PinStore implements Disposable {
  /** The name that a damaged store was given when this one was opened. */
  readonly setAside: string | undefined;
  readonly #database: DatabaseSync;
  readonly #workspace: string;

  /** @throws SynapseError `unavailable` where it cannot be opened or made */
  constructor(stateFolder: string, workspace: string) {
    const { database, setAside } = openDatabase(join(stateFolder, 'mcp.db'), SCHEMA);
    this.#database = database;
    this.#workspace = workspace;
    this.setAside = setAside;
  }

  /** The pinned tools of a server by their own names; undefined where the server was never seen. */
  tools(server: string): ReadonlyMap<string, Pin> | undefined {
    if (this.seen(`server ${server}`) === undefined) return undefined;
    const rows = this.#database.prepare('SELECT * FROM tool_pin WHERE workspace = ? AND server = ?').all(this.#workspace, server);
    return new Map(rows.map((row) => PIN.parse(row)).map((pin) => [pin.tool, pin]));
  }

  /** Pins tools of a server, in one step; whatever they were before is replaced. */
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

  /** The hash that was kept of something; undefined where it was never seen. */
  seen(what: string): string | undefined {
    const row = this.#database.prepare('SELECT hash FROM seen WHERE workspace = ? AND what = ?').get(this.#workspace, what);
    return typeof row?.['hash'] === 'string' ? row['hash'] : undefined;
  }

  /** Keeps a hash of something. */
  see(what: string, hash: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)').run(this.#workspace, what, hash, Date.now());
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
