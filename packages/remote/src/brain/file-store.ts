import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BrainStore } from './brain-store.ts';

const SCHEMA = 'CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;';

/**
 * Keeps the open calls of an agent in a file, for {@link BrainOptions.store}. The file is secret, and only for its owner: it has what calls were
 * given, and results. Each agent has a file of its own.
 *
 * @example
 * using store = fileStore('agent-calls.sqlite');
 * await using hands = connectHands('wss://relay.example#laptop', { credentials, store });
 * for (const { callId } of await hands.openCalls()) console.log((await hands.resume(callId)).output);
 */
export function fileStore(path: string): BrainStore & Disposable {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  // Few agents have a store, and old releases of Node warn when this is loaded.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path);
  // FULL: what is kept survives a power failure.
  database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`);
  const put = database.prepare('INSERT INTO calls (id, text) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text');
  const remove = database.prepare('DELETE FROM calls WHERE id = ?');
  return {
    load: () =>
      new Map(
        database
          .prepare('SELECT id, text FROM calls ORDER BY rowid')
          .all()
          .map(({ id, text }) => [String(id), String(text)]),
      ),
    put: (id, text) => void put.run(id, text),
    delete: (id) => void remove.run(id),
    [Symbol.dispose]: () => database.close(),
  };
}
