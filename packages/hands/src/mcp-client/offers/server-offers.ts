import type { AnyTool } from '../../tool/tool.ts';
import type { Connection, ListKind, RemoteAbilities } from '../connection/connection.ts';
import { KeptList } from './kept-list.ts';
import { readPrompt, readResource, readTemplate, type OfferedPrompt, type OfferedResource } from './offer.ts';
import { requestTools, type MakeRequest } from './request-tools.ts';
import { WatchedResources } from './watched-resources.ts';

/** Milliseconds for a server to return a list. */
const LIST_MS = 10_000;

/** What the offers of a server are made from. */
export interface ServerOffersParts {
  /** Name in rules. */
  readonly server: string;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly connection: (signal: AbortSignal) => Promise<Connection>;
  /** Makes a request; throws Synapse errors. */
  readonly request: MakeRequest;
}

/** The prompts and resources of one server: its lists, and our tools that access them. */
export class ServerOffers {
  readonly prompts: KeptList<OfferedPrompt>;
  readonly resources: KeptList<OfferedResource>;
  readonly templates: KeptList<OfferedResource>;
  readonly watched: WatchedResources;
  readonly #parts: ServerOffersParts;
  #abilities: RemoteAbilities | undefined;
  #tools: readonly AnyTool[] = [];

  constructor(parts: ServerOffersParts) {
    this.#parts = parts;
    const { server, connection } = parts;
    const read = async <Offer>(kind: ListKind, reader: (server: string, sent: unknown) => Offer | undefined, key: (offer: Offer) => string) => {
      const signal = AbortSignal.timeout(LIST_MS);
      const { items } = await (await connection(signal)).list(kind, signal);
      const offers = items.map((item) => reader(server, item)).filter((offer) => offer !== undefined);
      // The first of two with the same name wins.
      return [...new Map(offers.toReversed().map((offer) => [key(offer), offer])).values()].toReversed();
    };
    this.prompts = new KeptList(() => read('prompts', readPrompt, ({ name }) => name));
    this.resources = new KeptList(() => read('resources', readResource, ({ uri }) => uri));
    this.templates = new KeptList(() => read('templates', readTemplate, ({ uri }) => uri));
    this.watched = new WatchedResources(connection);
  }

  /** Capabilities of the server at its last connection. */
  get abilities(): RemoteAbilities | undefined {
    return this.#abilities;
  }

  /** Tools that make its supported requests; not shown to models. */
  get tools(): readonly AnyTool[] {
    return this.#tools;
  }

  /** Continues with a new connection; the earlier lists may be of another version of the server. */
  async connected(connection: Connection, signal: AbortSignal): Promise<void> {
    const before = JSON.stringify(this.#abilities);
    this.#abilities = connection.abilities;
    // Unchanged tools stay the same objects, so that listeners need not be notified.
    if (before !== JSON.stringify(this.#abilities))
      this.#tools = requestTools({ ...this.#parts, abilities: connection.abilities, watched: this.watched });
    this.forget('prompts');
    this.forget('resources');
    await this.watched.connected(connection, signal);
  }

  forget(kind: 'prompts' | 'resources'): void {
    this[kind].forget();
    if (kind === 'resources') this.templates.forget();
  }
}
