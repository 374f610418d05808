import { SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { LoginOptions } from './oauth/login.ts';
import type { ServerWords } from './stdio/server-log.ts';
import { NO_OFFERS, type McpOffers } from './offers/mcp-offers.ts';
import type { ConnectionFacts } from './remote-server.ts';

/** State of a server. The last three are not started: they require an action of the user. */
export type McpServerState =
  | 'idle'
  | 'connecting'
  | 'ready'
  | 'waiting'
  | 'failed'
  | 'stopped'
  | 'disabled'
  /** Configured in a file of an untrusted folder. */
  | 'untrusted'
  /** New in the files of a trusted folder, or changed there since its approval. */
  | 'unapproved';

/** A tool whose current definition is not approved. */
export interface PendingTool {
  readonly name: string;
  readonly kind: 'new' | 'changed';
  /** What the user must see, one line each. */
  readonly difference: readonly string[];
  /** Hash of the definition that an approval applies to. */
  readonly hash: string;
}

/** Status of a server for users. No field contains a secret. */
export interface McpServerStatus {
  /** Name in rules: `mcp:<name>:*`. */
  readonly name: string;
  readonly state: McpServerState;
  /** Why it is not ready, or what to do. */
  readonly reason?: string;
  /** The program, or the URL without its query. */
  readonly target: string;
  /** The file that configures it. */
  readonly origin: string;
  /** If not ready: the last lines on stderr, and the first on stdout that are no messages. */
  readonly said?: ServerWords;
  /** What its start would do, one line each, if it needs approval first. */
  readonly wants?: readonly string[];
  /** Facts about the last connection. */
  readonly connection?: ConnectionFacts;
  /** Names of the usable tools. */
  readonly tools: readonly string[];
  /** Tools whose current definition is not approved, with the differences, one line each. */
  readonly pendingReview: readonly PendingTool[];
  readonly problems: readonly string[];
}

/** The MCP servers of hands. */
export interface McpServers {
  /** Problems of the configuration, one line each. */
  readonly problems: readonly string[];
  list(): readonly McpServerStatus[];
  /**
   * All tools of the servers, including those that `hands.tools()` omits because there are too many. Tools
   * with a reason in `held` must not be shown to models; calling one asks the user.
   */
  tools(): readonly AnyTool[];
  /** What the servers offer besides tools. */
  readonly offers: McpOffers;
  /** Resolves when no server is connecting any more. */
  settled(): Promise<void>;
  /**
   * Connects a server if it is not connected, and returns its status.
   *
   * @throws SynapseError `not_found` for an unknown name, with the list of servers
   */
  test(name: string): Promise<McpServerStatus>;
  /**
   * Lets the user log in at a server that requires it, and returns its status. Users only.
   *
   * @throws SynapseError `not_found` for an unknown name, `denied` if the login is invalid, `unavailable` if it fails
   */
  logIn(name: string, options: LoginOptions): Promise<McpServerStatus>;
  /**
   * Removes the login at a server; returns whether there was one.
   *
   * @throws SynapseError `not_found` for an unknown name
   */
  logOut(name: string): Promise<boolean>;
  /**
   * Approves a server, and its tools that are pending review. Users only.
   *
   * @param shown what the user saw: a tool that changed since stays pending. Default: what `list` returns now
   * @throws SynapseError `not_found` for an unknown name, `unavailable` if the approval cannot be stored
   */
  approve(name: string, shown?: Pick<McpServerStatus, 'pendingReview'>): Promise<McpServerStatus>;
}

/** The `McpServers` of hands without servers. */
export const NO_SERVERS: McpServers & AsyncDisposable = {
  problems: [],
  list: () => [],
  tools: () => [],
  offers: NO_OFFERS,
  settled: async () => {},
  test: async (name) => {
    throw unknownServer(name, []);
  },
  logIn: async (name) => {
    throw unknownServer(name, []);
  },
  logOut: async (name) => {
    throw unknownServer(name, []);
  },
  approve: async (name) => {
    throw unknownServer(name, []);
  },
  [Symbol.asyncDispose]: async () => {},
};

/** Returns the error for an unknown server. */
export function unknownServer(name: string, names: readonly string[]): SynapseError {
  const near = nearest(name, names);
  return new SynapseError('not_found', `MCP server not found: ${JSON.stringify(name.slice(0, 64))}`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}${names.length > 0 ? `The servers are: ${names.join(', ')}.` : 'None is configured here: name some under "mcp": { "servers": … } in ~/.config/synapse/config.jsonc, or in .mcp.json of a trusted folder.'}`,
  });
}
