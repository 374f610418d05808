import type { Hands } from '@synapse/hands';
import type { Readable, Writable } from 'node:stream';
import type { McpPrompt } from './context/prompt.ts';
import type { McpResource } from './context/resource.ts';

/** What an MCP server serves, over whatever wire. */
export interface McpOffer {
  readonly hands: Hands;
  /** How the server calls itself. */
  readonly name: string;
  readonly version: string;
  /** Names of the tools to offer, or the presets `read-only`, `edit` and `all`. Default: all. */
  readonly tools?: 'all' | readonly string[];
  /** Serves the tools of another system in place of Synapse's own. */
  readonly dialect?: string;
  /** Loads the prompts to offer, when a client first asks. Default: none are offered. */
  readonly prompts?: () => Promise<readonly McpPrompt[]>;
  /** What can be read beside files. Default: nothing. */
  readonly resources?: readonly McpResource[];
  /** Hears of what goes wrong on the wire; it is answered there already. */
  readonly onError?: (error: Error) => void;
}

/** What an MCP server serves, and over which streams. */
export interface McpServerOptions extends McpOffer {
  /** Default: this process's stdin. */
  readonly input?: Readable;
  /** Default: this process's stdout. Nothing else may write to it. */
  readonly output?: Writable;
  /** Ends the server. */
  readonly signal?: AbortSignal;
}

/** The offer with its defaults. */
export type ServiceOptions = Required<Omit<McpOffer, 'dialect' | 'prompts'>> & {
  readonly dialect: string | undefined;
  readonly prompts: (() => Promise<readonly McpPrompt[]>) | undefined;
};

/** The streams of one client. */
export type McpStreams = Required<Pick<McpServerOptions, 'input' | 'output' | 'signal'>>;

/** What is served where nobody says otherwise. */
export const OFFER_DEFAULTS = { tools: 'all', dialect: undefined, prompts: undefined, resources: [], onError: () => {} } as const;

/**
 * Serves hands over MCP, to clients of both protocol eras, and settles when the client is gone or the
 * signal is aborted. Every call that still ran was aborted and has ended by then.
 *
 * @throws SynapseError `unknown_tool` where `tools` names one that there is not, `invalid_arguments` for an unknown dialect
 * @example
 * await using hands = await createHands({ workspace: '.' });
 * await runMcpServer({ hands, name: 'synapse', version: '1.0.0' });
 */
export async function runMcpServer(options: McpServerOptions): Promise<void> {
  // The SDK takes longer to load than everything else together: only who serves pays for it.
  const { serveHands } = await import('./serve-hands.ts');
  const { input = process.stdin, output = process.stdout, signal = new AbortController().signal } = options;
  await serveHands({ ...OFFER_DEFAULTS, ...options, input, output, signal });
}

/** Where an MCP server listens, and to whom. */
export interface HttpListening {
  /** A name or address. Anything but this machine's loopback lets others in, who then send the token in the clear. */
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Every request must bear it; at least 32 characters. It is never logged or told. */
  readonly token: string;
  /** Pages of these origins may ask too, such as `https://app.example`. Those of this machine may always. */
  readonly origins: readonly string[];
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Hears where it listens, such as `http://127.0.0.1:7411/mcp`. */
  readonly onListening: (url: string) => void;
}

/** What an MCP server serves over HTTP, and where. */
export type McpHttpOptions = McpOffer & Pick<HttpListening, 'token'> & Partial<Omit<HttpListening, 'token'>>;

/** Where `synapse mcp --http` listens; a client is told once. */
export const DEFAULT_PORT = 7411;

/**
 * Serves hands over streamable HTTP, to clients of both protocol eras, until the signal is aborted. Every call
 * that still ran was cancelled and has ended by then.
 *
 * @throws SynapseError `unavailable` where it cannot listen, and what {@link runMcpServer} throws
 * @example
 * const token = randomBytes(32).toString('hex');
 * await runMcpHttpServer({ hands, name: 'synapse', version: '1.0.0', token, port: 0, onListening: console.error });
 */
export async function runMcpHttpServer(options: McpHttpOptions): Promise<void> {
  const { serveHttp } = await import('./http/serve-http.ts');
  await serveHttp({
    ...OFFER_DEFAULTS,
    host: '127.0.0.1',
    port: DEFAULT_PORT,
    origins: [],
    signal: new AbortController().signal,
    onListening: () => {},
    ...options,
  });
}
