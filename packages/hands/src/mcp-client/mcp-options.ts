/** How hands use MCP servers. */
export interface McpOptions {
  /**
   * Servers by name, each as in `.mcp.json`: `{ command, args?, env?, cwd? }` or `{ url, headers?, type? }`,
   * with `${VAR}` and `${VAR:-default}`. They take precedence over all files.
   */
  readonly servers?: Readonly<Record<string, unknown>>;
  /**
   * Whether to use the servers of configuration files: those of the user, and those of the project
   * (`.synapse/config.jsonc`, `.mcp.json`, `.vscode/mcp.json`) once its folder is trusted. Default: true.
   */
  readonly files?: boolean;
  /** `start`: connect all in the background when the hands open. `demand`: connect each on its first call. Default: `start`. */
  readonly connect?: 'start' | 'demand';
  /** Total number of tools above which models get a tool to search and one to call instead of the list. Default: 40. */
  readonly searchAbove?: number;
  /** Milliseconds until a server must have initialized. Default: 30,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for a call, and the maximum that progress can extend it to. Defaults: 30,000 and 600,000. */
  readonly timeoutMs?: number;
  readonly maxTimeoutMs?: number;
}

/** Defaults of the options. */
export const MCP_DEFAULTS = {
  searchAbove: 40,
  connectTimeoutMs: 30_000,
  timeoutMs: 30_000,
  maxTimeoutMs: 600_000,
} as const satisfies McpOptions;
