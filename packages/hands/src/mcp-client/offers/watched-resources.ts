import { SynapseError } from '@synapse/protocol';
import type { Connection } from '../connection/connection.ts';

/** Maximum number of watched resources per server. */
const MAX_WATCHED = 200;

/** The watched resources of one server. The server has one subscription for all watchers of a resource. */
export class WatchedResources {
  readonly #connection: (signal: AbortSignal) => Promise<Connection>;
  readonly #watchers = new Map<string, number>();

  constructor(connection: (signal: AbortSignal) => Promise<Connection>) {
    this.#connection = connection;
  }

  has(uri: string): boolean {
    return this.#watchers.has(uri);
  }

  /** @throws SynapseError `busy` if too many are watched */
  async add(uri: string, signal: AbortSignal): Promise<void> {
    if (!this.has(uri)) {
      if (this.#watchers.size >= MAX_WATCHED) throw new SynapseError('busy', `${MAX_WATCHED} resources of this MCP server are watched already.`);
      await (await this.#connection(signal)).watch(uri, true, signal);
    }
    this.#watchers.set(uri, (this.#watchers.get(uri) ?? 0) + 1);
  }

  async remove(uri: string, signal: AbortSignal): Promise<void> {
    const count = this.#watchers.get(uri) ?? 0;
    if (count > 1) this.#watchers.set(uri, count - 1);
    if (count !== 1) return;
    this.#watchers.delete(uri);
    await (await this.#connection(signal)).watch(uri, false, signal);
  }

  /** Subscribes again on a new connection. */
  async connected(connection: Connection, signal: AbortSignal): Promise<void> {
    if (!connection.abilities.subscribe) return;
    for (const uri of this.#watchers.keys()) {
      await connection.watch(uri, true, signal).catch(() => {
        // The server no longer has it, so there will be no updates.
      });
    }
  }
}
