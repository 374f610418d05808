import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { InitializeParams } from 'vscode-languageserver-protocol';
import { SynapseError } from '@synapse/protocol';
import { until } from '../events/timing.ts';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { AskedText } from './check-batch.ts';
import type { CheckedText } from './checked-text.ts';
import { CAPABILITIES } from './client-capabilities.ts';
import { readFindings, type Finding } from './finding.ts';
import type { ServerProgram } from './find-program.ts';
import { watchReads } from '../process/watch-reads.ts';
import type { RunningTree } from '../process/processes.ts';
import { openConnection, type ServerConnection } from './open-connection.ts';
import { Published } from './published.ts';
import { reasonOf } from './server-reason.ts';
import type { ServerRow } from './server-table.ts';
import { askAgain, ServerSession } from './server-session.ts';
import { troubleOf, type Trouble } from './trouble.ts';

/** Maximum startup time in milliseconds. A working server needs less. */
const START_MS = 45_000;
/** Milliseconds that a server has to shut down before it is killed. */
const GOODBYE_MS = 500;
/** The code of the error for a request whose connection was closed, because the server ended: `PendingResponseRejected`. */
const CLOSED = -32_097;
const MAX_UNDER_WAY = 1_000;
/** Maximum number of files of which it is known that the server has read them. */
const MAX_READ = 10_000;

/** A file of the workspace that changed without the server's knowledge. */
export interface FileEvent {
  readonly path: string;
  /** The protocol's numbers: created, changed, deleted. */
  readonly type: 1 | 2 | 3;
}

/** How to start a {@link LanguageServer}. */
export interface ServerStart {
  readonly row: ServerRow;
  readonly program: ServerProgram;
  readonly processes: Processes;
  readonly root: string;
  readonly directory: () => PinnedDirectory;
  /** Further texts that are open as long as the server runs, for a file that is to be opened. Asked once for each folder. */
  readonly alongside?: (path: string) => readonly CheckedText[];
}

/** Converts a file URI to a path, so that differences in escaping do not matter. */
function samePath(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    // `untitled:` and similar URIs are not files.
    return '';
  }
}

/** One running server. It answers one request at a time. */
export class LanguageServer {
  /** Resolves with a short reason when the process has ended. */
  readonly ended: Promise<string>;
  readonly program: ServerProgram;
  readonly #root: string;
  readonly #row: ServerRow;
  readonly #alongside: (path: string) => readonly CheckedText[];
  /** The folders of the files that were opened, and the paths of what is open alongside. */
  readonly #seen = new Set<string>();
  readonly #life = new AbortController();
  readonly #ready: Promise<ServerConnection>;
  readonly #busy = new Set<string | number>();
  /** What keeps it from loading projects. */
  readonly #troubles = new Map<string | number, Trouble>();
  /** Versions of the files that it has read, by path. */
  readonly #read = new Map<string, number>();
  #capabilities: Readonly<Record<string, unknown>> = {};
  /** The checks that wait for what it publishes, by path, with the version of their text. */
  readonly #published = new Map<string, { readonly published: Published; readonly version: number }>();
  #version = 0;
  #why = 'it ended';
  #tree: Pick<RunningTree, 'list'> = { list: () => [] };
  #waitsFor: string | undefined;
  #hasBegun = false;
  /** When it said anything last. */
  #heardAt = 0;

  constructor({ row, program, processes, root, directory, alongside = () => [] }: ServerStart) {
    this.program = program;
    this.#root = root;
    this.#row = row;
    this.#alongside = alongside;
    const opened = Promise.withResolvers<ServerConnection>();
    let connection: ServerConnection | undefined;
    const process = processes.run({
      argv: program.argv,
      cwd: directory,
      environment: row.environment ?? {},
      hardened: true,
      signal: this.#life.signal,
      onStart: (tree) => void (this.#tree = tree),
      onInput: (input) =>
        void openConnection(input).then((one) => {
          connection = one;
          opened.resolve(one);
        }, opened.reject),
      onOutput: (stream, chunk) => {
        // Its logs are not needed, and may be long.
        if (stream === 'stderr' || this.#life.signal.aborted) return;
        this.#heardAt = performance.now();
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
    // The request reports this as a failed start.
    void this.ended.then((why) => {
      opened.reject(new Error(why));
      connection?.close();
    });
    this.#ready = opened.promise.then((one) => this.#begin(one, row));
    // Waiting callers get the error; without callers, it does not matter.
    this.#ready.catch(() => {});
  }

  /** Whether it ended by itself before it answered that it is there. A program that is not installed in full does. */
  get endedAtStart(): boolean {
    return !this.#hasBegun && !this.#life.signal.aborted;
  }

  /** Whether it was killed: it has ended, or is about to. */
  get isKilled(): boolean {
    return this.#life.signal.aborted;
  }

  /** Whether it has begun, and said nothing since a time. */
  isSilentSince(time: number): boolean {
    return this.#hasBegun && this.#heardAt < time;
  }

  /** The path of the named pipe for which it waited, and was therefore ended. */
  get waitsFor(): string | undefined {
    return this.#waitsFor;
  }

  /** Returns the server's findings for the given texts, all of which are open meanwhile; undefined for one that it does not answer in time. */
  async check(asked: readonly AskedText[]): Promise<PromiseSettledResult<readonly Finding[] | undefined>[]> {
    using _ = this.#watchPipes();
    return await Promise.allSettled(asked.map((one) => this.#checkOne(one)));
  }

  /** Runs requests about files, which are open meanwhile. */
  async converse<T>(work: (session: ServerSession) => Promise<T>, signal: AbortSignal): Promise<T> {
    using _ = this.#watchPipes();
    const server = await this.#begun(signal);
    using session = new ServerSession({
      server,
      signal,
      root: this.#root,
      capabilities: this.#capabilities,
      isBusy: (opened) =>
        this.#busy.size > 0 || (this.#row.readsOpened === true && opened.some(([uri, version]) => (this.#read.get(samePath(uri)) ?? 0) < version)),
      trouble: () => this.#trouble(),
      nextVersion: () => (this.#version += 1),
      onOpen: (path) => this.#openAlongside(server, path),
    });
    return await until(Promise.race([work(session), this.#gone()]), signal);
  }

  /** Sends the files that changed since the last request. */
  async changed(events: readonly FileEvent[], signal: AbortSignal): Promise<void> {
    if (events.length === 0) return;
    signal.throwIfAborted();
    const server = await until(this.#ready, signal);
    const changes = events.map(({ path, type }) => ({ uri: this.#uri(path), type }));
    void server.connection.sendNotification('workspace/didChangeWatchedFiles', { changes }).catch(() => {});
  }

  /** Ends the server and all its processes immediately. */
  kill(why: string): void {
    this.#why = why;
    this.#life.abort(new Error(why));
  }

  /** Shuts the server down, and waits until it has ended. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.kill('it was closed'), GOODBYE_MS);
    try {
      const server = await Promise.race([this.#ready, this.#gone()]);
      await Promise.race([server.connection.sendRequest('shutdown'), this.#gone()]);
      await server.connection.sendNotification('exit');
    } catch {
      // The server has ended or never started, so it needs no notification.
      this.kill('it was closed');
    }
    await this.ended;
    clearTimeout(timer);
  }

  async #checkOne({ file, signal }: AskedText): Promise<readonly Finding[] | undefined> {
    const server = await this.#begun(signal);
    const uri = this.#uri(file.path);
    this.#version += 1;
    const version = this.#version;
    const path = samePath(uri);
    using published = this.#isPull() ? undefined : new Published(() => this.#busy.size > 0);
    if (published !== undefined) this.#published.set(path, { published, version });
    this.#openAlongside(server, file.path);
    const textDocument = { uri, languageId: file.language, version, text: file.text };
    void server.connection.sendNotification('textDocument/didOpen', { textDocument }).catch(() => {});
    try {
      const answer = published === undefined ? this.#pull(server, uri, signal) : published.answer(signal);
      const findings = await until(Promise.race([answer, this.#gone()]), signal);
      // A file of a project that is not loaded has no findings, right or wrong.
      if (findings === undefined || findings.length === 0) this.#assertLoads();
      return findings;
    } finally {
      // Close the file: for an open file, the server uses our text and not the disk.
      void server.connection.sendNotification('textDocument/didClose', { textDocument: { uri } }).catch(() => {});
      this.#published.delete(path);
    }
  }

  #openAlongside({ connection }: ServerConnection, path: string): void {
    const folder = `${dirname(path)}/`;
    if (this.#seen.has(folder)) return;
    this.#seen.add(folder);
    for (const { path: own, language, text } of this.#alongside(path)) {
      if (this.#seen.has(own)) continue;
      this.#seen.add(own);
      const textDocument = { uri: this.#uri(own), languageId: language, version: 1, text };
      void connection.sendNotification('textDocument/didOpen', { textDocument }).catch(() => {});
    }
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
    // vscode-jsonrpc does not pass progress notifications to the handler above.
    connection.onUnhandledProgress(({ token, value }) => this.#hearProgress(token, value));
    const rootUri = pathToFileURL(this.#root).href;
    const timer = setTimeout(() => this.kill('it did not begin in time'), START_MS);
    try {
      const initialized: unknown = await connection.sendRequest('initialize', {
        // The process ID would mean another process in the server's namespace. Its pipe closes with this process in any case.
        processId: null,
        clientInfo: { name: 'synapse' },
        rootUri,
        workspaceFolders: [{ uri: rootUri, name: basename(this.#root) }],
        initializationOptions: row.options ?? null,
        capabilities: CAPABILITIES,
      } satisfies InitializeParams);
      this.#capabilities = Object(Object(initialized).capabilities);
      this.#hasBegun = true;
      await connection.sendNotification('initialized', {});
    } catch (error) {
      // It runs on, and would refuse each question for as long as it does.
      const reason = Object(error).code === CLOSED ? undefined : reasonOf(error, this.#root);
      if (reason !== undefined) this.kill(`it refuses to begin: ${reason}`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return server;
  }

  #hear(method: string, params: unknown): void {
    const told: Record<string, unknown> = Object(params);
    if (method === 'textDocument/publishDiagnostics' && typeof told['uri'] === 'string') {
      const path = samePath(told['uri']);
      if (typeof told['version'] === 'number' && (this.#read.size < MAX_READ || this.#read.has(path))) this.#read.set(path, told['version']);
      const waiting = this.#published.get(path);
      // For an earlier version of the file, so it answers another request.
      if (waiting === undefined || (typeof told['version'] === 'number' && told['version'] < waiting.version)) return;
      waiting.published.take(readFindings(told['diagnostics'], this.#root));
    }
  }

  #hearProgress(token: string | number, value: unknown): void {
    const { kind } = Object(value);
    const trouble = troubleOf(value, this.#row, this.#root);
    if (trouble !== undefined) {
      if (this.#troubles.size < MAX_UNDER_WAY) this.#troubles.set(token, trouble);
      return;
    }
    if (kind === 'end') this.#troubles.delete(token);
    // A server that never ends its progress must not block forever or fill the memory.
    if (kind === 'begin' && this.#busy.size < MAX_UNDER_WAY) this.#busy.add(token);
    if (kind === 'end') this.#busy.delete(token);
  }

  #trouble(): Trouble | undefined {
    return [...this.#troubles.values()].at(-1);
  }

  #assertLoads(): void {
    const trouble = this.#trouble();
    if (trouble === undefined) return;
    const { reason, advice } = trouble;
    throw new SynapseError('unavailable', `${this.program.origin} says: ${reason}.`, advice === undefined ? {} : { hint: advice });
  }

  /** Ends the server if it reads a named pipe, which it would do for ever. */
  #watchPipes(): Disposable {
    const watch = watchReads(({ path }) => {
      this.#waitsFor = path;
      this.kill('it waits for a named pipe');
    });
    // It starts while the request waits for it.
    watch.start({ list: () => this.#tree.list() });
    return watch;
  }

  /** The wait may end, and the start goes on: a slow server is ready for the next call. */
  async #begun(signal: AbortSignal): Promise<ServerConnection> {
    signal.throwIfAborted();
    const server = await until(this.#ready, signal);
    server.refill();
    return server;
  }

  #isPull(): boolean {
    return this.#capabilities['diagnosticProvider'] !== undefined;
  }

  async #pull({ connection }: ServerConnection, uri: string, signal: AbortSignal): Promise<readonly Finding[] | undefined> {
    const report: unknown = await askAgain(() => connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } }), signal);
    return Object(report).kind === 'full' ? readFindings(Object(report).items, this.#root) : undefined;
  }
}
