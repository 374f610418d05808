import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ClientCapabilities, InitializeParams } from 'vscode-languageserver-protocol';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { readFindings, type Finding } from './finding.ts';
import type { ServerProgram } from './find-program.ts';
import { openConnection, type ServerConnection } from './open-connection.ts';
import { Published } from './published.ts';
import type { ServerRow } from './server-table.ts';

/** Longer to begin than this takes no server that works. */
const START_MS = 45_000;
/** How long a server may take to say goodbye before it is killed. */
const GOODBYE_MS = 500;
/** How often a server may say that the question came too early. */
const MAX_RETRIES = 5;
/** `ContentModified` and `ServerCancelled` of the protocol: the same question may be asked again. */
const ASK_AGAIN = new Set([-32_801, -32_802]);

const MAX_UNDER_WAY = 1_000;

/** A file as it is at the moment of the question. */
export interface CheckedText {
  /** Below the root, with `/`. */
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

/** A file of the workspace that changed behind the server's back. */
export interface FileEvent {
  readonly path: string;
  /** As the protocol counts them: created, changed, deleted. */
  readonly type: 1 | 2 | 3;
}

/** How to start a {@link LanguageServer}. */
export interface ServerStart {
  readonly row: ServerRow;
  readonly program: ServerProgram;
  readonly processes: Processes;
  readonly root: string;
  readonly directory: () => PinnedDirectory;
}

/** A path of the file system as every server writes it, whatever it escapes. */
function samePath(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    // `untitled:` and the like: no file of anybody.
    return '';
  }
}

/** One running server. It answers one question at a time. */
export class LanguageServer {
  /** Settles when the process is gone, with why in a few words. */
  readonly ended: Promise<string>;
  readonly program: ServerProgram;
  readonly #root: string;
  readonly #life = new AbortController();
  readonly #ready: Promise<ServerConnection>;
  readonly #busy = new Set<string | number>();
  #isPull = false;
  #published: Published | undefined;
  #version = 0;
  #why = 'it ended';

  constructor({ row, program, processes, root, directory }: ServerStart) {
    this.program = program;
    this.#root = root;
    const opened = Promise.withResolvers<ServerConnection>();
    let connection: ServerConnection | undefined;
    const process = processes.run({
      argv: program.argv,
      cwd: directory,
      environment: row.environment ?? {},
      hardened: true,
      signal: this.#life.signal,
      onInput: (input) =>
        void openConnection(input).then((one) => {
          connection = one;
          opened.resolve(one);
        }, opened.reject),
      onOutput: (stream, chunk) => {
        // What it logs is nobody's business, and may be much.
        if (stream === 'stderr' || this.#life.signal.aborted) return;
        try {
          connection?.push(chunk);
        } catch (error) {
          this.kill(`it does not keep to the protocol: ${error instanceof RangeError ? error.message : 'a message that is no JSON'}`);
        }
      },
    });
    this.ended = process.then(
      ({ exitCode, signal }) => (this.#life.signal.aborted ? this.#why : `it ended with ${signal ?? `exit code ${exitCode}`}`),
      (error: unknown) => (error instanceof Error && !this.#life.signal.aborted ? error.message : this.#why),
    );
    // Whoever asks it hears of that as a failed start.
    void this.ended.then((why) => {
      opened.reject(new Error(why));
      connection?.close();
    });
    this.#ready = opened.promise.then((one) => this.#begin(one, row));
    // Who waits for it hears of it; where nobody does, nothing is lost.
    this.#ready.catch(() => {});
  }

  /** What the server says about a file as it is now; undefined where it has no answer in its time. */
  async check(file: CheckedText, signal: AbortSignal): Promise<readonly Finding[] | undefined> {
    const server = await within(this.#ready, signal);
    server.refill();
    const uri = this.#uri(file.path);
    this.#version += 1;
    using published = this.#isPull ? undefined : new Published(samePath(uri), () => this.#busy.size > 0);
    this.#published = published;
    const textDocument = { uri, languageId: file.language, version: this.#version, text: file.text };
    void server.connection.sendNotification('textDocument/didOpen', { textDocument }).catch(() => {});
    try {
      const answer = published === undefined ? this.#pull(server, uri, signal) : published.answer(signal);
      return await within(Promise.race([answer, this.#gone()]), signal);
    } finally {
      // Not kept open: what is open the server believes us and not the disk.
      void server.connection.sendNotification('textDocument/didClose', { textDocument: { uri } }).catch(() => {});
      this.#published = undefined;
    }
  }

  /** Tells of files that changed since the last question. */
  async changed(events: readonly FileEvent[], signal: AbortSignal): Promise<void> {
    if (events.length === 0) return;
    const server = await within(this.#ready, signal);
    const changes = events.map(({ path, type }) => ({ uri: this.#uri(path), type }));
    void server.connection.sendNotification('workspace/didChangeWatchedFiles', { changes }).catch(() => {});
  }

  /** Ends it at once, with its whole tree. */
  kill(why: string): void {
    this.#why = why;
    this.#life.abort(new Error(why));
  }

  /** Says goodbye, and waits until it is gone. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.kill('it was closed'), GOODBYE_MS);
    try {
      const server = await Promise.race([this.#ready, this.#gone()]);
      await Promise.race([server.connection.sendRequest('shutdown'), this.#gone()]);
      await server.connection.sendNotification('exit');
    } catch {
      // Gone already, or it never came up: there is nobody to say it to.
      this.kill('it was closed');
    }
    await this.ended;
    clearTimeout(timer);
  }

  #uri(path: string): string {
    return pathToFileURL(`${this.#root}/${path}`).href;
  }

  async #gone(): Promise<never> {
    throw new Error(await this.ended);
  }

  async #begin(server: ServerConnection, row: ServerRow): Promise<ServerConnection> {
    const { connection } = server;
    connection.onNotification((method, params) => this.#hear(method, params));
    // The library keeps these from the handler above.
    connection.onUnhandledProgress(({ token, value }) => this.#hearProgress(token, value));
    const rootUri = pathToFileURL(this.#root).href;
    const timer = setTimeout(() => this.kill('it did not begin in time'), START_MS);
    try {
      const initialized: unknown = await connection.sendRequest('initialize', {
        // In its own namespace the number would be another process; the pipe ends with us in any case.
        processId: null,
        clientInfo: { name: 'synapse' },
        rootUri,
        workspaceFolders: [{ uri: rootUri, name: basename(this.#root) }],
        initializationOptions: row.options ?? null,
        capabilities: CAPABILITIES,
      } satisfies InitializeParams);
      this.#isPull = Object(Object(initialized).capabilities).diagnosticProvider !== undefined;
      await connection.sendNotification('initialized', {});
    } finally {
      clearTimeout(timer);
    }
    return server;
  }

  #hear(method: string, params: unknown): void {
    const told: Record<string, unknown> = Object(params);
    if (method === 'textDocument/publishDiagnostics' && typeof told['uri'] === 'string') {
      // Of an earlier version of the file: the answer to another question.
      if (typeof told['version'] === 'number' && told['version'] < this.#version) return;
      this.#published?.take(samePath(told['uri']), readFindings(told['diagnostics'], this.#root));
    }
  }

  #hearProgress(token: string | number, value: unknown): void {
    const { kind } = Object(value);
    // A server that begins what it never ends is not waited for for ever, and fills no memory.
    if (kind === 'begin' && this.#busy.size < MAX_UNDER_WAY) this.#busy.add(token);
    if (kind === 'end') this.#busy.delete(token);
  }

  async #pull({ connection }: ServerConnection, uri: string, signal: AbortSignal): Promise<readonly Finding[] | undefined> {
    for (let tries = 0; tries < MAX_RETRIES; tries += 1) {
      signal.throwIfAborted();
      try {
        const report: unknown = await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
        return Object(report).kind === 'full' ? readFindings(Object(report).items, this.#root) : undefined;
      } catch (error) {
        if (!ASK_AGAIN.has(Number(Object(error).code))) throw error;
      }
    }
    return undefined;
  }
}

/** What is understood here, and no more: a server tells less to who understands less. */
const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: { configuration: true, workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true } },
  textDocument: {
    synchronization: { dynamicRegistration: false },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
    publishDiagnostics: { relatedInformation: false, versionSupport: true },
  },
} satisfies ClientCapabilities;

/** Settles with the work, or with the signal. The work goes on: a server that is slow to begin is there for the next call. */
async function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
