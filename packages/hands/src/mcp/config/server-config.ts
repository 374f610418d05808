/** How a server of this machine is started. */
export interface StdioLaunch {
  readonly kind: 'stdio';
  readonly command: string;
  readonly arguments: readonly string[];
  /** Variables beside the few that are inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined for the folder that its origin gives it. */
  readonly cwd: string | undefined;
}

/** How a server elsewhere is reached. `http` is streamable HTTP, and SSE where the server knows nothing newer. */
export interface HttpLaunch {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Launch = StdioLaunch | HttpLaunch;

/** Where a server was named. `project` is a file in the workspace: whoever wrote the repository wrote it. */
export type ServerLayer = 'flags' | 'managed' | 'user' | 'project';

/** An MCP server as a person configured it, ready to be started. */
export interface ServerConfig {
  readonly name: string;
  readonly launch: Launch;
  /** Milliseconds of a call; each word of progress gives them again. Undefined: the default. */
  readonly timeoutMs: number | undefined;
  readonly disabled: boolean;
  readonly layer: ServerLayer;
  /** The file, or another word for its origin. */
  readonly origin: string;
  /** SHA-256 of how it is written, variables and all. */
  readonly fingerprint: string;
  /** Names of the variables of this environment whose values it is given. */
  readonly variables: readonly string[];
  /** Values that no record, log or error may show. */
  readonly secrets: readonly string[];
}

/** Something in a configuration that does not count, as `file:line:column: key: what is wrong`. */
export type ConfigProblem = string;

/** Takes secrets out of a text. */
type Redact = (text: string) => string;

const named = (what: string, names: readonly string[]): string[] => (names.length === 0 ? [] : [`${what} ${names.join(', ')}`]);

/** All that a start of a server would do, a line each, for whoever is to let it in; the values of variables and headers stay out. */
export function launchLines({ launch, variables }: Pick<ServerConfig, 'launch' | 'variables'>, redact: Redact): string[] {
  // Wherever they go to, in an address too: whoever lets it in gives them away.
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

/** What a server is in one line that holds no secret: the program, or the address without its query. */
export function launchLabel(launch: Launch, redact: Redact): string {
  if (launch.kind === 'stdio') return redact(launch.command);
  const { origin, pathname } = new URL(launch.url);
  return redact(`${origin}${pathname}`);
}
