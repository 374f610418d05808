import { notify } from '../../events/notify.ts';
import { serverName } from '../tool-name.ts';
import type { KeptList } from './kept-list.ts';
import type { OfferedPrompt, OfferedResource } from './offer.ts';
import { readResourceAddress, resourceAddress } from './resource-address.ts';
import type { ServerOffers } from './server-offers.ts';

/** Milliseconds for a server to process an unsubscription. */
const UNWATCH_MS = 5_000;

/** A change at a server. */
export type OfferChange = { readonly kind: 'prompts' } | { readonly kind: 'resources' } | { readonly kind: 'updated'; readonly uri: string };

/**
 * What the servers offer besides tools. Only the lists: getting a prompt, and reading, watching or completing something, is a
 * call such as `mcp:<server>:resources.read`, under the usual rules.
 */
export interface McpOffers {
  /** Prompts of the connected servers. A server whose list cannot be read has none. */
  prompts(): Promise<readonly OfferedPrompt[]>;
  resources(): Promise<readonly OfferedResource[]>;
  templates(): Promise<readonly OfferedResource[]>;
  /** Ends a subscription made with `resources.subscribe`, by the URI of the resource. */
  unwatch(address: string): Promise<void>;
  /** Registers a listener for changes of lists and watched resources. Returns a function that removes it. */
  onChanged(listener: (change: OfferChange) => void): () => void;
}

/** The offers of hands without servers. */
export const NO_OFFERS: McpOffers = {
  prompts: async () => [],
  resources: async () => [],
  templates: async () => [],
  unwatch: async () => {},
  onChanged: () => () => {},
};

/** The combined offers of several servers. */
export class AllOffers implements McpOffers {
  readonly #servers: () => readonly ServerOffers[];
  readonly #find: (server: string) => ServerOffers | undefined;
  readonly #listeners = new Set<(change: OfferChange) => void>();

  /** @param servers returns the connected ones */
  constructor(servers: () => readonly ServerOffers[], find: (server: string) => ServerOffers | undefined) {
    this.#servers = servers;
    this.#find = find;
  }

  async prompts(): Promise<readonly OfferedPrompt[]> {
    return await this.#all(({ abilities, prompts }) => (abilities?.prompts === true ? prompts : undefined));
  }

  async resources(): Promise<readonly OfferedResource[]> {
    return await this.#all(({ abilities, resources }) => (abilities?.resources === true ? resources : undefined));
  }

  async templates(): Promise<readonly OfferedResource[]> {
    return await this.#all(({ abilities, templates }) => (abilities?.resources === true ? templates : undefined));
  }

  async unwatch(address: string): Promise<void> {
    const read = readResourceAddress(address);
    if (read === undefined) return;
    await this.#find(read.server)?.watched.remove(read.uri, AbortSignal.timeout(UNWATCH_MS));
  }

  onChanged(listener: (change: OfferChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(kind: 'prompts' | 'resources'): void {
    this.#tell({ kind });
  }

  updated(server: string, uri: string): void {
    this.#tell({ kind: 'updated', uri: resourceAddress(serverName(server), uri) });
  }

  #tell(change: OfferChange): void {
    for (const listener of this.#listeners) notify(listener, change);
  }

  async #all<Offer>(listOf: (server: ServerOffers) => KeptList<Offer> | undefined): Promise<Offer[]> {
    const lists = this.#servers().map(async (server) => (await listOf(server)?.get()) ?? []);
    const read = await Promise.allSettled(lists);
    return read.flatMap((list) => (list.status === 'fulfilled' ? [...list.value] : []));
  }
}
