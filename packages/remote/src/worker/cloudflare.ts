// The part of the Workers runtime that the relay uses. The platform's types replace all Node types, so they cannot be used here.

/** A WebSocket that supports hibernation of its Durable Object. */
export interface WorkerSocket {
  accept(): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close' | 'error', listener: () => void): void;
}

type SqlValue = string | number | null;

/** The storage of a Durable Object, and the sockets that survive hibernation. */
export interface ObjectState {
  readonly storage: {
    readonly sql: { exec(query: string, ...bindings: readonly SqlValue[]): Iterable<Readonly<Record<string, SqlValue>>> };
    setAlarm(time: number): Promise<void>;
    deleteAlarm(): Promise<void>;
  };
  acceptWebSocket(socket: WorkerSocket): void;
  getWebSockets(): readonly WorkerSocket[];
  setWebSocketAutoResponse(pair: object): void;
  getWebSocketAutoResponseTimestamp(socket: WorkerSocket): Date | null;
}

/** Durable Objects of one class. */
export interface ObjectNamespace {
  idFromName(name: string): object;
  get(id: object): { fetch(request: Request | string, init?: RequestInit): Promise<Response> };
}

/** Bindings from `wrangler.jsonc` and secrets from `wrangler secret`. */
export interface RelayEnvironment {
  readonly SESSIONS: ObjectNamespace;
  readonly ACCOUNT: ObjectNamespace;
  /** The token that allows administration, such as inviting machines. */
  readonly ADMIN_TOKEN?: string;
  /** Origins of web pages that may connect, comma-separated. */
  readonly ALLOWED_ORIGINS?: string;
}

declare const WebSocketPair: new () => { readonly 0: WorkerSocket; readonly 1: WorkerSocket };
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object;

/** Creates a connected pair: one end for the client, one for the object. */
export function socketPair(): { readonly client: WorkerSocket; readonly server: WorkerSocket } {
  const pair = new WebSocketPair();
  return { client: pair[0], server: pair[1] };
}

/** Answers pings without waking the object. */
export const pingPong = (): object => new WebSocketRequestResponsePair('ping', 'pong');

/** Creates the response to an upgrade. */
export function upgraded(client: WorkerSocket): Response {
  // `webSocket` exists only on this platform.
  const init: ResponseInit & { readonly webSocket: WorkerSocket } = { status: 101, webSocket: client };
  return new Response(null, init);
}
