import { pathToFileURL } from 'node:url';
import type { CheckedText } from './checked-text.ts';
import type { CodeSession, ServerPosition } from './code-servers.ts';
import type { ServerConnection } from './open-connection.ts';
import type { Trouble } from './trouble.ts';

/** Maximum number of attempts if a server reports that a request came too early. */
const MAX_RETRIES = 5;
/** The protocol's `ContentModified` and `ServerCancelled`: the same request may be repeated. */
const ASK_AGAIN = new Set([-32_801, -32_802]);
/** Milliseconds between two looks at whether a server still works. */
const LOOK_MS = 25;
/** Milliseconds in which a server that begins to load a project says so. */
const BEGIN_MS = 60;

/** Sends a request again if it came too early. Returns undefined if it always does. */
export async function askAgain(send: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  for (let tries = 0; tries < MAX_RETRIES; tries += 1) {
    signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      if (!ASK_AGAIN.has(Number(Object(error).code))) throw error;
    }
  }
  return undefined;
}

interface SessionParts {
  readonly server: ServerConnection;
  readonly root: string;
  readonly signal: AbortSignal;
  /** What the server can do. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whether the server reports work in progress, or has yet to read one of the files in their versions. */
  readonly isBusy: (opened: ReadonlyArray<readonly [uri: string, version: number]>) => boolean;
  readonly trouble: () => Trouble | undefined;
  readonly nextVersion: () => number;
  /** Called before a file is opened. */
  readonly onOpen: (path: string) => void;
}

/** The requests of one turn. Files that it opens are closed when it is disposed: for an open file, a server uses our text and not the disk. */
export class ServerSession implements CodeSession, Disposable {
  readonly #parts: SessionParts;
  /** Versions of the open files by URI. */
  readonly #open = new Map<string, number>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Whether the server says that it can answer such requests, such as `renameProvider`. */
  offers(provider: string): boolean {
    const offer = this.capability(provider);
    return offer !== undefined && offer !== null && offer !== false;
  }

  capability(provider: string): unknown {
    const { capabilities } = this.#parts;
    return Object.hasOwn(capabilities, provider) ? capabilities[provider] : undefined;
  }

  get trouble(): Trouble | undefined {
    return this.#parts.trouble();
  }

  uri(path: string): string {
    return pathToFileURL(`${this.#parts.root}/${path}`).href;
  }

  /** Opens a file, or replaces its text. */
  open({ path, language, text, command }: CheckedText): void {
    const uri = this.uri(path);
    this.#parts.onOpen(path);
    if (command !== undefined) this.#compileWith(command, path);
    const version = this.#parts.nextVersion();
    if (this.#open.has(uri)) this.#notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
    else this.#notify('textDocument/didOpen', { textDocument: { uri, languageId: language, version, text } });
    this.#open.set(uri, version);
  }

  versionOf(path: string): number | undefined {
    return this.#open.get(this.uri(path));
  }

  async about(method: string, path: string): Promise<unknown> {
    return await this.request(method, { textDocument: { uri: this.uri(path) } });
  }

  /** Asks about a place. */
  async at(method: string, path: string, position: ServerPosition, more: object = {}): Promise<unknown> {
    return await this.request(method, { textDocument: { uri: this.uri(path) }, position, ...more });
  }

  async request(method: string, params: object): Promise<unknown> {
    const { server, signal } = this.#parts;
    server.refill();
    return await askAgain(() => server.connection.sendRequest(method, params), signal);
  }

  /** Waits until the server reports no work, such as loading projects. Returns false if that takes longer. */
  async settle(milliseconds: number): Promise<boolean> {
    const { isBusy, signal } = this.#parts;
    const started = performance.now();
    let quietSince = started;
    for (;;) {
      signal.throwIfAborted();
      const now = performance.now();
      if (isBusy([...this.#open])) quietSince = now;
      if (now - quietSince >= BEGIN_MS) return true;
      if (now - started >= milliseconds) return false;
      await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
    }
  }

  [Symbol.dispose](): void {
    for (const uri of this.#open.keys()) this.#notify('textDocument/didClose', { textDocument: { uri } });
  }

  /** An extension of clangd. */
  #compileWith(command: readonly string[], path: string): void {
    const { root } = this.#parts;
    const file = `${root}/${path}`;
    const compilationDatabaseChanges = { [file]: { workingDirectory: root, compilationCommand: [...command, file] } };
    this.#notify('workspace/didChangeConfiguration', { settings: { compilationDatabaseChanges } });
  }

  #notify(method: string, params: object): void {
    void this.#parts.server.connection.sendNotification(method, params).catch(() => {});
  }
}
