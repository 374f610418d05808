import type { FilledForm, PersonForm, Progress } from '@synapse/protocol';

/** The transport in use. */
export type TransportKind = 'stdio' | 'http' | 'sse';

/** A question of a server: a form, or a page to open. */
export interface ServerQuestion extends Pick<PersonForm, 'message' | 'schema' | 'url'> {
  /** Returns the checked content for the server; undefined if it does not fit the schema. */
  readonly checked: (content: Readonly<Record<string, unknown>>) => Extract<FilledForm, { action: 'accept' }>['content'] | undefined;
}

/** Options of a request to a server. */
export interface RemoteCall {
  readonly signal: AbortSignal;
  /** Additional headers, if the request goes over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onProgress: (progress: Progress) => void;
  /** Asks the user of the call a question of the server. Accepted content fits the question. */
  readonly fill: (question: ServerQuestion) => Promise<FilledForm>;
}

/** The lists of a server. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates';

/** The capabilities of a server. */
export interface RemoteAbilities {
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly subscribe: boolean;
  readonly completions: boolean;
}

/** An initialized connection to a server. */
export interface Connection extends AsyncDisposable {
  readonly transport: TransportKind;
  /** Name and version the server reports; untrusted. */
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly protocolVersion: string | undefined;
  /** Whether tool arguments are also sent in headers if the server asks for it. */
  readonly hasHeaders: boolean;
  readonly abilities: RemoteAbilities;
  /** Returns a list unmodified, with all pages up to a limit. Empty if the server does not support it. */
  list(kind: ListKind, signal: AbortSignal): Promise<RemoteList>;
  /** Makes a request and returns the unchecked result. Cancellation is reported to the server. */
  request(method: string, params: Readonly<Record<string, unknown>>, call: RemoteCall): Promise<unknown>;
  /** Subscribes to changes of a resource, or unsubscribes. */
  watch(uri: string, isWatched: boolean, signal: AbortSignal): Promise<void>;
}

/** The entries of a list. */
export interface RemoteList {
  readonly items: readonly unknown[];
  /** Why entries may be missing; undefined if the list is complete. */
  readonly incomplete: string | undefined;
}

/** Events of an open connection. */
export interface ConnectionEvents {
  /** Called with the reason when the connection ends. */
  readonly onLost: (reason: string) => void;
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
  readonly onResourceUpdated: (uri: string) => void;
}
