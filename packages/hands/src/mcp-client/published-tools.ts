import { nameMap } from '../providers/name-map.ts';
import { describeTool } from '../providers/tool-description.ts';
import type { ForeignToolHost } from '../tool/foreign-tools.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { RemoteServer } from './remote-server.ts';
import { mcpCall, mcpSearch } from './search/search-tools.ts';

/** Maximum number of characters of all listed definitions; more would fill the context of a model. */
const MAX_LISTED_CHARACTERS = 120_000;

/** What the tools of servers are published from. */
export interface PublishedToolsParts {
  readonly registry: ForeignToolHost;
  /** Number of tools above which models search for them. */
  readonly searchAbove: number;
  /** The servers that may be started. */
  readonly servers: () => readonly RemoteServer[];
  /** Whether a name leads to a tool, or to a server that reports why there is none. */
  readonly isTool: (name: string) => boolean;
}

/** Keeps the tools of the servers in the registry: listed, or found by a search if there are many. */
export class PublishedTools {
  readonly #parts: PublishedToolsParts;
  readonly #search: AnyTool;
  readonly #call: AnyTool;
  readonly #left = new Set<RemoteServer>();

  constructor(parts: PublishedToolsParts) {
    this.#parts = parts;
    this.#search = mcpSearch(() => this.distinguishable().flatMap(({ listed }) => listed));
    this.#call = mcpCall(parts.isTool);
  }

  /** Whether the tools of a server are left out. */
  leavesOut(server: RemoteServer): boolean {
    return this.#left.has(server);
  }

  /** Returns servers whose tool names are unambiguous on every wire; a server that creates ambiguous ones is left out. */
  distinguishable(): RemoteServer[] {
    const { registry, servers } = this.#parts;
    const names = registry.all().flatMap(({ name, effects }) => (effects === 'mcp' ? [] : [name]));
    const accepted: RemoteServer[] = [];
    for (const server of servers()) {
      const more = [...server.listed, ...server.pendingReview].map(({ name }) => name);
      try {
        nameMap([...names, ...more]);
      } catch {
        this.#left.add(server);
        continue;
      }
      this.#left.delete(server);
      names.push(...more);
      accepted.push(server);
    }
    return accepted;
  }

  publish(): void {
    const { registry, searchAbove } = this.#parts;
    const servers = this.distinguishable();
    const listed = servers.flatMap((server) => server.listed);
    const pendingReview = servers.flatMap((server) => server.pendingReview);
    const requests = servers.flatMap((server) => server.offers.tools);
    const characters = (): number => listed.reduce((sum, tool) => sum + JSON.stringify(describeTool(tool)).length, 0);
    if (listed.length <= searchAbove && characters() <= MAX_LISTED_CHARACTERS)
      registry.replaceForeign({ listed, unlisted: [...pendingReview, ...requests] });
    // This order moves an approved tool, so that every listener notices.
    else registry.replaceForeign({ listed: [this.#search, this.#call], unlisted: [...pendingReview, ...listed, ...requests] });
  }
}
