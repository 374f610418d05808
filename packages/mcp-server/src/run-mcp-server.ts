import type { Hands } from '@synapse/hands';
import type { Readable, Writable } from 'node:stream';

/** What an MCP server serves, and over which streams. */
export interface McpServerOptions {
  readonly hands: Hands;
  /** How the server calls itself. */
  readonly name: string;
  readonly version: string;
  /** Names of the tools to offer. Default: all. */
  readonly tools?: 'all' | readonly string[];
  /** Serves the tools of another system in place of Synapse's own. */
  readonly dialect?: string;
  /** Default: this process's stdin. */
  readonly input?: Readable;
  /** Default: this process's stdout. Nothing else may write to it. */
  readonly output?: Writable;
  /** Ends the server. */
  readonly signal?: AbortSignal;
  /** Hears of what goes wrong on the wire; it is answered there already. */
  readonly onError?: (error: Error) => void;
}

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
  await serveHands({
    tools: 'all',
    input: process.stdin,
    output: process.stdout,
    signal: new AbortController().signal,
    onError: () => {},
    ...options,
  });
}
