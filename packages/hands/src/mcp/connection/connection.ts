import type { Progress } from '@synapse/protocol';

/** How a server is spoken to in the end. */
export type TransportKind = 'stdio' | 'http' | 'sse';

/** What a call to a server may use. */
export interface RemoteCall {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** A server that has said hello. */
export interface Connection extends AsyncDisposable {
  readonly transport: TransportKind;
  /** How it calls itself; a stranger's words. */
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly protocolVersion: string | undefined;
  /** Its tools as it sent them, page by page, up to a bound. */
  listTools(signal: AbortSignal): Promise<RemoteTools>;
  /** Calls a tool by its own name, and gives what came back, of whatever form. Cancelling is told to the server. */
  call(tool: string, input: Readonly<Record<string, unknown>>, call: RemoteCall): Promise<unknown>;
}

/** What a server offers. */
export interface RemoteTools {
  readonly tools: readonly unknown[];
  /** Why there may be more, where that is so. */
  readonly incomplete: string | undefined;
}

/** Hears of what happens to a connection after it was opened. */
export interface ConnectionEvents {
  /** The connection is over, and why. */
  readonly onLost: (reason: string) => void;
  readonly onToolsChanged: () => void;
}
