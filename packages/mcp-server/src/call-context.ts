import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { ProgressUpdate } from './progress-updates.ts';
import type { CallOptions } from '@synapse/hands';
import * as z from 'zod';

/** Observed limits of a client. */
export interface ClientTraits {
  /** How much of a result it passes to its model in full. */
  readonly readerLimits?: NonNullable<CallOptions['readerLimits']>;
  /**
   * Characters of a question without line ends that the client always shows: it wraps such a question at the width of the terminal,
   * and cuts each line of others there. Undefined if it shows all lines.
   */
  readonly questionCharacters?: number;
  /** `text`: its model reads the text, and a structured value would replace it, repeat it or be dropped. Default: both are sent. */
  readonly reads?: 'text';
  /** `none`: it passes the base64 of an image to its model as text. Default: it shows images. */
  readonly images?: 'none';
}

interface Row extends ClientTraits {
  /** Matches the name the client reports, in any case. */
  readonly name: RegExp;
}

/**
 * What is known of clients. Observed with Claude Code 2.1.331, Codex 0.169, Gemini CLI 0.61, opencode 1.18, Cline 3.0.65 and Qwen Code
 * 0.24.4; other clients get the limits of hands, and structured values.
 */
const CLIENTS: readonly Row[] = [
  // Its dialog shows three lines, whatever the height of the terminal. Of 80 columns it uses 74. A structured value replaces the text.
  { name: /^claude-code/iu, questionCharacters: 3 * 70, reads: 'text' },
  { name: /^claude/iu, reads: 'text' },
  // It keeps about 12 kB of a result and drops the rest. A structured value replaces the text.
  { name: /^codex/iu, readerLimits: { outputBytes: 11_000 }, reads: 'text' },
  // It shows the first 2,000 lines, one of which is the line about the result.
  { name: /^opencode/iu, readerLimits: { outputLines: 1_990 }, reads: 'text' },
  // Of more than 40,000 characters, with a wrapper of JSON around them, it drops the middle. It drops structured values.
  { name: /^gemini-cli/iu, readerLimits: { outputBytes: 38_000, jsonCharacters: 39_000 }, reads: 'text' },
  // Of more than 25,000 to 31,000 characters it shows 2,000, and stores the rest outside the workspace. Structured values come on top.
  { name: /^qwen/iu, readerLimits: { outputBytes: 24_000 }, reads: 'text' },
  // It shows a result as JSON, structured values and images included, and drops the middle of more than 8,000 characters.
  { name: /^(?:@cline\/|cline)/iu, readerLimits: { outputBytes: 7_000, jsonCharacters: 7_700 }, reads: 'text', images: 'none' },
];

const UNKNOWN: ClientTraits = {};

/** Returns the limits of a client by the name it reports. The name is untrusted, and only affects sizes. */
export function clientTraits(name: string | undefined): ClientTraits {
  return (name === undefined ? undefined : CLIENTS.find((row) => row.name.test(name))) ?? UNKNOWN;
}

const ENVELOPE = z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string() }) });

/**
 * Returns the limits of the client that sent a request; clients of 2026-07-28 send their name with each.
 *
 * @param server that received the name in `initialize`, for earlier protocols
 */
export function clientOf({ mcpReq }: ServerContext, server?: Server): ClientTraits {
  const { data } = ENVELOPE.safeParse(mcpReq.envelope);
  return clientTraits(data?.[CLIENT_INFO_META_KEY].name ?? server?.getClientVersion()?.name);
}

/** What accompanies a call besides its parameters, on any transport. */
export interface CallContext {
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Sends progress to the client; undefined if it did not ask for it. */
  readonly report: ((update: ProgressUpdate) => Promise<void>) | undefined;
  /** Limits of the calling client. */
  readonly client: ClientTraits;
}

/** Returns the context of a call that came through the SDK. */
export function sdkContext({ mcpReq: { signal, _meta, notify } }: ServerContext, client: ClientTraits): CallContext {
  const progressToken = _meta?.progressToken;
  return {
    signal,
    client,
    report: progressToken === undefined ? undefined : (update) => notify({ method: 'notifications/progress', params: { progressToken, ...update } }),
  };
}
