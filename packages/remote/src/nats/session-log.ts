import { NEW_SESSION, type StoredSession } from '@synapse/protocol/remote';
import type { RelayStore, StoreEffect } from '../relay/relay-store.ts';
import type { Nats } from './open-nats.ts';
import { wasFaster } from './kv-value.ts';
import { decodeEntry, encodeEntries, everything, keep, newKept, replay, type Entry, type Kept } from './session-entries.ts';

/** Milliseconds to wait for confirmation of an append. After that its outcome must be read from the log. */
const APPEND_MS = 5_000;
/** Bytes reserved in a message for what NATS adds. */
const OVERHEAD_BYTES = 16_384;
/** A log is compacted when it has this many entries more than four per call. */
const LONG_LOG = 64;

/** A later owner wrote to the log. */
export class TakenOver extends Error {
  override name = 'TakenOver';

  /** Token of the later owner. */
  readonly token: number;

  constructor(token: number) {
    super('A later owner has the session.');
    this.token = token;
  }
}

interface Held {
  readonly token: number;
  /** Sequence number of its last entry, 0 if it is empty. */
  last: number;
  entries: number;
  readonly kept: Kept;
  pending: StoreEffect[];
}

/**
 * The logs of sessions, each on one subject of a stream. An append names the last entry that the writer saw, and fails if another relay has
 * appended since. Therefore a relay that was wrongly considered dead cannot continue as the owner.
 */
export class SessionLog implements RelayStore {
  readonly isShared = true;
  readonly #nats: Nats;
  readonly #holds: (session: string) => boolean;
  readonly #held = new Map<string, Held>();
  /** Sessions with writes that were dropped because the session is not held any more. */
  readonly #lost = new Set<string>();

  /** @param holds whether this relay's lease on a session is still valid */
  constructor(nats: Nats, holds: (session: string) => boolean) {
    this.#nats = nats;
    this.#holds = holds;
  }

  /** Reads a session and excludes earlier owners. @throws TakenOver if a later owner has it */
  async claim(session: string, token: number): Promise<void> {
    const held: Held = { token, last: 0, entries: 0, kept: newKept(), pending: [] };
    for (;;) {
      await this.#readOn(session, held);
      // An empty log needs no fence: the first append fails unless the log is still empty.
      if (held.last === 0) break;
      try {
        await this.#append(session, held, { token, stores: [] });
        break;
      } catch (error) {
        // The previous owner was still writing; its entries count.
        if (!wasFaster(error)) throw error;
      }
    }
    this.#held.set(session, held);
  }

  async #readOn(session: string, held: Held): Promise<void> {
    const { manager, names } = this.#nats;
    for (;;) {
      // The server supports `next_by_subj`; the client's types allow it only with direct reads.
      const query = { seq: held.last + 1, next_by_subj: names.log(session) };
      const message = await manager.streams.getMessage(names.stream, query);
      if (message === null) return;
      const entry = decodeEntry(message.data);
      if (entry.token > held.token) throw new TakenOver(entry.token);
      replay(held.kept, entry);
      held.last = message.seq;
      held.entries += 1;
    }
  }

  async #append(session: string, held: Held, entry: Entry): Promise<void> {
    const { publisher, connection, names } = this.#nats;
    for (const data of encodeEntries(entry, (connection.info?.max_payload ?? 1_048_576) - OVERHEAD_BYTES)) {
      const expect = { lastSubjectSequence: held.last };
      const { seq } = await publisher.publish(names.log(session), data, { expect, timeout: APPEND_MS });
      held.last = seq;
      held.entries += 1;
    }
  }

  /** Copies the current state to the end of the log and deletes the entries before it. */
  async #compact(session: string, held: Held): Promise<void> {
    const { manager, names } = this.#nats;
    const [before, entries] = [held.last, held.entries];
    await this.#append(session, held, { token: held.token, keep: [...held.kept.calls.keys()], stores: everything(held.kept) });
    await manager.streams.purge(names.stream, { filter: names.log(session), seq: before + 1 });
    held.entries -= entries;
  }

  holds(session: string): boolean {
    return this.#held.has(session) && this.#holds(session);
  }

  read(session: string): StoredSession {
    const held = this.#held.get(session);
    return held === undefined ? NEW_SESSION : { ...held.kept.record, calls: new Map(held.kept.calls) };
  }

  write(session: string, effect: StoreEffect): void {
    const held = this.#held.get(session);
    if (held === undefined) this.#lost.add(session);
    else {
      keep(held.kept, effect);
      held.pending.push(effect);
    }
  }

  flush(): readonly string[] | Promise<readonly string[]> {
    const changed = [...this.#held].filter(([, { pending }]) => pending.length > 0);
    const lost = [...this.#lost];
    this.#lost.clear();
    return changed.length === 0 ? lost : this.#flush(changed, lost);
  }

  async #flush(changed: ReadonlyArray<readonly [string, Held]>, lost: string[]): Promise<readonly string[]> {
    const write = async ([session, held]: readonly [string, Held]): Promise<void> => {
      const stores = held.pending;
      held.pending = [];
      try {
        await this.#append(session, held, { token: held.token, stores });
        if (held.entries > LONG_LOG + 4 * held.kept.calls.size) await this.#compact(session, held);
      } catch {
        // Excluded, or the outcome is unknown. Either way the log is authoritative for the next owner.
        this.forget(session);
        lost.push(session);
      }
    };
    await Promise.all(changed.map(write));
    return lost;
  }

  /** Releases a session. Pending writes are dropped. */
  forget(session: string): void {
    this.#held.delete(session);
  }

  [Symbol.dispose](): void {
    this.#held.clear();
  }
}
