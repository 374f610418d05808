/** How to start a server on this machine. */
export interface StdioLaunch {
  readonly kind: 'stdio';
  readonly command: string;
  readonly arguments: readonly string[];
  /** Variables besides the few inherited ones. */
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined for the default folder of its origin. */
  readonly cwd: string | undefined;
}

/** How to reach a remote server. `http` is streamable HTTP, with a fallback to SSE for older servers. */
export interface HttpLaunch {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Settings for a login that the server itself does not provide. */
export interface OAuthSettings {
  /** Id of a registered client. Default: Synapse registers itself. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Default: the scopes that the server asks for. */
  readonly scopes: readonly string[] | undefined;
  /** Port of the redirect, for a client registered with a port. Default: a free one. */
  readonly callbackPort: number | undefined;
}

export type Launch = StdioLaunch | HttpLaunch;

/** Source of a server. `project` is a file in the workspace, written by the author of the repository. */
export type ServerLayer = 'flags' | 'managed' | 'user' | 'project';

/** A configured MCP server, ready to be started. */
export interface ServerConfig {
  readonly name: string;
  readonly launch: Launch;
  readonly oauth: OAuthSettings;
  /** Milliseconds for a call; each progress message restarts the time. Undefined: the default. */
  readonly timeoutMs: number | undefined;
  readonly disabled: boolean;
  readonly layer: ServerLayer;
  /** The file, or another name of the source. */
  readonly origin: string;
  /** SHA-256 of the server as written, including its variables. */
  readonly fingerprint: string;
  /** Names of the environment variables whose values it receives. */
  readonly variables: readonly string[];
  /** Values that must not appear in a record, log or error. */
  readonly secrets: readonly string[];
}

/** An invalid part of a configuration, as `file:line:column: key: problem`. */
export type ConfigProblem = string;

/** Removes secrets from a text. */
type Redact = (text: string) => string;

const named = (what: string, names: readonly string[]): string[] => (names.length === 0 ? [] : [`${what} ${names.join(', ')}`]);

/** Lists all that starting a server does, one line each, for its approval. Omits the values of variables and headers. */
export function launchLines({ launch, variables }: Pick<ServerConfig, 'launch' | 'variables'>, redact: Redact): string[] {
  // Wherever the values are used, even in a URL: the approval gives them away.
  const given = named('is given, of your environment,', variables);
  if (launch.kind !== 'stdio') {
    return [`connects to ${launchLabel(launch, redact)}`, ...named('with the headers', Object.keys(launch.headers)), ...given];
  }
  const { command, arguments: words, environment, cwd } = launch;
  return [
    `runs ${[command, ...words].map((word) => JSON.stringify(redact(word))).join(' ')}`,
    ...named('with the variables', Object.keys(environment)),
    ...(cwd === undefined ? [] : [`in ${redact(cwd)}`]),
    ...given,
  ];
}

/** Describes a server in one line without secrets: the program, or the URL without its query. */
export function launchLabel(launch: Launch, redact: Redact): string {
  if (launch.kind === 'stdio') return redact(launch.command);
  const { origin, pathname } = new URL(launch.url);
  return redact(`${origin}${pathname}`);
}
