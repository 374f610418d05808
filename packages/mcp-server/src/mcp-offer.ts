import type { ServedHands } from '@synapse/hands/internal';
import type { ToolCaller } from '@synapse/hands/providers';
import type { Readable, Writable } from 'node:stream';
import type { McpPrompt } from './context/prompt.ts';
import type { McpResource } from './context/resource.ts';

/** Hands of another machine. Their tools are fixed while they are served. */
export interface HandsElsewhere extends ToolCaller {
  readonly about: { readonly constraints: readonly string[] };
}

/** What an MCP server serves, on any transport. */
export interface McpOffer {
  /** Hands of this machine ({@link Hands} or the parts a server needs), or of another one, in the dialect they were opened with. */
  readonly hands: ServedHands | HandsElsewhere;
  /** Name the server reports. */
  readonly name: string;
  readonly version: string;
  /** Names of the tools to offer, or the presets `read-only`, `edit` and `all`. Default: all. */
  readonly tools?: 'all' | readonly string[];
  /** Serves the tools of another system in place of Synapse's tools. */
  readonly dialect?: string;
  /** Loads the prompts on the first request for them. Default: no prompts. */
  readonly prompts?: () => Promise<readonly McpPrompt[]>;
  /** Resources besides files. Default: none. */
  readonly resources?: readonly McpResource[];
  /**
   * Selects the folder for the hands, before the first call and whenever the client opens other folders.
   *
   * @param roots folders the client has open; undefined if it does not report them
   * @returns whether a folder was selected; if not, it is called again with the next call
   */
  readonly chooseFolder?: (roots: readonly string[] | undefined) => Promise<boolean>;
  /**
   * Maximum characters of a result's text as JSON, for every client. It cannot exceed the limits of hands. It replaces what is known of the
   * sizes that clients show. Default: by the client.
   */
  readonly maxOutput?: number;
  /** Receives errors of the transport, which are already answered there. */
  readonly onError?: (error: Error) => void;
}

/** What an MCP server serves, and on which streams. */
export interface McpServerOptions extends McpOffer {
  /** Default: stdin of this process. */
  readonly input?: Readable;
  /** Default: stdout of this process. Nothing else may write to it. */
  readonly output?: Writable;
  /** Ends the server. */
  readonly signal?: AbortSignal;
}

/** An offer with defaults filled in. */
export type ServiceOptions = Required<Omit<McpOffer, 'dialect' | 'prompts' | 'chooseFolder' | 'maxOutput'>> & {
  readonly chooseFolder: McpOffer['chooseFolder'] | undefined;
  readonly dialect: string | undefined;
  readonly maxOutput: number | undefined;
  readonly prompts: (() => Promise<readonly McpPrompt[]>) | undefined;
};

/** The streams of one client. */
export type McpStreams = Required<Pick<McpServerOptions, 'input' | 'output' | 'signal'>>;

/** Defaults of an offer. */
export const OFFER_DEFAULTS = {
  tools: 'all',
  dialect: undefined,
  prompts: undefined,
  chooseFolder: undefined,
  maxOutput: undefined,
  resources: [],
  onError: () => {},
} as const;

/** Where an MCP server listens, and who may connect. */
export interface HttpListening {
  /** Host name or address. Anything but loopback admits other machines, which send the token unencrypted. */
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Required in every request; at least 32 characters. It is never logged or returned. */
  readonly token: string;
  /** Origins whose pages may connect, such as `https://app.example`. Pages of this machine always may. */
  readonly origins: readonly string[];
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Called with the URL, such as `http://127.0.0.1:7411/mcp`. */
  readonly onListening: (url: string) => void;
}

/** What an MCP server serves over HTTP, and where. */
export type McpHttpOptions = McpOffer & Pick<HttpListening, 'token'> & Partial<Omit<HttpListening, 'token'>>;
