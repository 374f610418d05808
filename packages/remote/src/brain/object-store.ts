import type { BrainStore } from './brain-store.ts';

type SqlValue = string | number | null;

/** The storage of a Durable Object with SQLite: its `ctx.storage`. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: readonly SqlValue[]): Iterable<Readonly<Record<string, unknown>>> };
  transactionSync<Value>(work: () => Value): Value;
  sync(): Promise<void>;
}

/** UTF-16 units of a part of a text. As UTF-8 each takes three bytes at most, and a row of the platform holds 2 MB. */
const PART = 600_000;

/** Splits a text, and no character of two units. */
function* partsOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const isInside = (text.charCodeAt(from + PART - 1) & 0xfc00) === 0xd800;
    const to = from + PART - (isInside ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}

/**
 * Keeps the open calls of an agent in its Durable Object, for {@link BrainOptions.store}, in a table of its own. What can read the object has what
 * calls were given, and results.
 *
 * @param storage of the object: `ctx.storage`
 * @param agent two agents in one object need two names
 * @example
 * const store = objectStore(this.ctx.storage);
 * await using hands = connectHands('wss://relay.example#laptop', { credentials, store });
 * for (const { callId } of await hands.openCalls()) console.log((await hands.resume(callId)).output);
 */
export function objectStore(storage: ObjectStorage, agent = 'agent'): BrainStore {
  const { sql } = storage;
  sql.exec(
    'CREATE TABLE IF NOT EXISTS synapse_calls (agent TEXT NOT NULL, id TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, ' +
      'PRIMARY KEY (agent, id, part)) STRICT',
  );
  const remove = (id: string): void => void sql.exec('DELETE FROM synapse_calls WHERE agent = ? AND id = ?', agent, id);
  return {
    load: () => {
      const texts = new Map<string, string>();
      for (const { id, text } of sql.exec('SELECT id, text FROM synapse_calls WHERE agent = ? ORDER BY id, part', agent))
        texts.set(String(id), `${texts.get(String(id)) ?? ''}${String(text)}`);
      return texts;
    },
    put: async (id, text) => {
      // A text is there as a whole or not at all.
      storage.transactionSync(() => {
        remove(id);
        for (const [part, piece] of [...partsOf(text)].entries())
          sql.exec('INSERT INTO synapse_calls (agent, id, part, text) VALUES (?, ?, ?, ?)', agent, id, part, piece);
      });
      await storage.sync();
    },
    delete: async (id) => {
      remove(id);
      await storage.sync();
    },
  };
}
