import { SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';
import type { AnyTool } from '../tool.ts';
import type { ConnectionFacts } from './remote-server.ts';

/** How a server stands. The last three were not started: a person has to do something first. */
export type McpServerState =
  | 'idle'
  | 'connecting'
  | 'ready'
  | 'waiting'
  | 'failed'
  | 'stopped'
  | 'disabled'
  /** It is named by a file of a folder that nobody trusts. */
  | 'untrusted'
  /** It is new in the files of a trusted folder, or was changed there since it was let in. */
  | 'unapproved';

/** A tool whose definition nobody has let in as it is. */
export interface HeldBackTool {
  readonly name: string;
  readonly kind: 'new' | 'changed';
  /** What a person has to see, a line each. */
  readonly difference: readonly string[];
  /** Of the definition: a yes is for this one. */
  readonly hash: string;
}

/** A server as a person asks about it. No field holds a secret. */
export interface McpServerStatus {
  /** As rules have it: `mcp:<name>:*`. */
  readonly name: string;
  readonly state: McpServerState;
  /** Why it is not ready, or what to do. */
  readonly reason?: string;
  /** The program, or the address without its query. */
  readonly target: string;
  /** The file that names it. */
  readonly origin: string;
  /** What its start would do, a line each, where a person has to let it in first. */
  readonly wants?: readonly string[];
  /** What is known of the last connection. */
  readonly connection?: ConnectionFacts;
  /** Names of the tools that may be used. */
  readonly tools: readonly string[];
  /** Tools whose definition nobody has let in as it is, with what differs, a line each. */
  readonly heldBack: readonly HeldBackTool[];
  readonly problems: readonly string[];
}

/** The MCP servers of hands. */
export interface McpServers {
  /** What is wrong in the configuration, a line each. */
  readonly problems: readonly string[];
  list(): readonly McpServerStatus[];
  /**
   * All tools of the servers: also those that `hands.tools()` does not list, since there are too many of them. Those
   * with a `held` that says why are not to be shown to models; who calls one is asked about it.
   */
  tools(): readonly AnyTool[];
  /** Settles once no server is being connected any more. */
  settled(): Promise<void>;
  /**
   * Connects a server where it is not connected, and tells how it stands.
   *
   * @throws SynapseError `not_found` for a name that is none, with the list
   */
  test(name: string): Promise<McpServerStatus>;
  /**
   * Lets in a server, and the tools that it holds back. For a person to do.
   *
   * @param shown what that person saw: a tool that has changed since then stays held back. Default: as `list` has it now
   * @throws SynapseError `not_found` for a name that is none, `unavailable` where it cannot be kept
   */
  approve(name: string, shown?: Pick<McpServerStatus, 'heldBack'>): Promise<McpServerStatus>;
}

/** Servers that hands have when they have none. */
export const NO_SERVERS: McpServers & AsyncDisposable = {
  problems: [],
  list: () => [],
  tools: () => [],
  settled: async () => {},
  test: async (name) => {
    throw unknownServer(name, []);
  },
  approve: async (name) => {
    throw unknownServer(name, []);
  },
  [Symbol.asyncDispose]: async () => {},
};

/** What a name is answered with that is no server's. */
export function unknownServer(name: string, names: readonly string[]): SynapseError {
  const near = nearest(name, names);
  return new SynapseError('not_found', `There is no MCP server ${JSON.stringify(name.slice(0, 64))}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}${names.length > 0 ? `The servers are: ${names.join(', ')}.` : 'None is configured here: name some under "mcp": { "servers": … } in ~/.config/synapse/config.jsonc, or in .mcp.json of a trusted folder.'}`,
  });
}
