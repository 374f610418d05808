/** How hands use MCP servers. */
export interface McpOptions {
  /**
   * Servers by name, each as `.mcp.json` writes them: `{ command, args?, env?, cwd? }` or `{ url, headers?, type? }`,
   * with `${VAR}` and `${VAR:-default}`. They count before all that files name.
   */
  readonly servers?: Readonly<Record<string, unknown>>;
  /**
   * Whether the servers of configuration files count: those of the user, and those of the project
   * (`.synapse/config.jsonc`, `.mcp.json`, `.vscode/mcp.json`) once a person trusts its folder. Default: true.
   */
  readonly files?: boolean;
  /** `start`: connect all in the background when the hands open. `demand`: each when a call is for it. Default: `start`. */
  readonly connect?: 'start' | 'demand';
  /** With more tools than this in all, models get a tool to search them and one to call them, instead of the list. Default: 40. */
  readonly searchAbove?: number;
  /** Milliseconds in which a server has to say hello. Default: 30,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds of a call, and the most that progress can extend it to. Defaults: 30,000 and 600,000. */
  readonly timeoutMs?: number;
  readonly maxTimeoutMs?: number;
}

/** What is used where nothing else is said. */
export const MCP_DEFAULTS = {
  searchAbove: 40,
  connectTimeoutMs: 30_000,
  timeoutMs: 30_000,
  maxTimeoutMs: 600_000,
} as const satisfies McpOptions;
