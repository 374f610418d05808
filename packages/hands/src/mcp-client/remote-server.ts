import { toSynapseError } from '@synapse/protocol';
import { redactor, type Redact } from '../audit/redact.ts';
import type { AnyTool, HeldTool } from '../tool/tool.ts';
import type { Connection, ConnectionEvents, RemoteCall, TransportKind } from './connection/connection.ts';
import { openNeededPages } from './connection/needed-pages.ts';
import { openConnection } from './connection/open-connection.ts';
import { foreignText, isGone, openError, remoteError } from './connection/remote-error.ts';
import type { Supervised } from './connection/supervision.ts';
import { Supervisor } from './connection/supervisor.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { LoginStore } from './oauth/login-store.ts';
import { ServerOffers } from './offers/server-offers.ts';
import { judgeDefinitions, pinOf, type UnpinnedTool } from './pins/judge-definitions.ts';
import type { PinStore } from './pins/pin-store.ts';
import { ServerLog, type ServerWords } from './stdio/server-log.ts';
import type { ServerProcesses } from './stdio/server-processes.ts';
import { readDefinition, type ToolDefinition } from './tools/definition.ts';
import { mcpTool } from './tools/mcp-tool.ts';
import { serverName } from './tool-name.ts';

/** Minimum milliseconds between reads of the list, regardless of how often the server reports changes. */
const MIN_RELIST_MS = 1_000;
/** Maximum number of difference lines in a question. It says what was cut, and `synapse mcp approve` shows everything. */
const MAX_DETAILS = 100;

/** What a server is created with. */
export interface RemoteServerParts {
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly logFile: string;
  readonly processes: ServerProcesses;
  readonly pins: PinStore;
  readonly logins: LoginStore;
  readonly root: string;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Called when the tools or the state have changed. */
  readonly onChange: () => void;
  /** Called when its prompts or resources have changed. */
  readonly onOffersChanged: (kind: 'prompts' | 'resources') => void;
  /** Called with the server's URI when a watched resource has changed. */
  readonly onResourceUpdated: (uri: string) => void;
}

/** Facts about a connection. */
export interface ConnectionFacts {
  readonly transport: TransportKind;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly protocolVersion: string | undefined;
  /** Milliseconds from the start to the first tool list, and for that list alone. */
  readonly connectMs: number;
  readonly listMs: number;
}

/** One MCP server: its supervised connection, and its approved tools. */
export class RemoteServer {
  readonly #parts: RemoteServerParts;
  readonly #redact: Redact;
  readonly #supervisor: Supervisor<Connection>;
  /** What it offers besides tools. */
  readonly offers: ServerOffers;
  #tools: ReadonlyMap<string, { readonly hash: string; readonly tool: AnyTool }> = new Map();
  #listed: readonly AnyTool[] = [];
  #pendingReview: readonly AnyTool[] = [];
  #unpinned: readonly UnpinnedTool[] = [];
  #problems: readonly string[] = [];
  #facts: ConnectionFacts | undefined;
  #log: ServerLog | undefined;
  #listedAt = Number.NEGATIVE_INFINITY;
  #relisting: NodeJS.Timeout | undefined;
  #reading = false;
  #changedAgain = false;

  constructor(parts: RemoteServerParts) {
    this.#parts = parts;
    this.#redact = redactor(parts.config.secrets);
    this.#supervisor = new Supervisor<Connection>({
      name: this.name,
      open: (signal, onLost) => this.#open(signal, onLost),
      openMs: parts.connectTimeoutMs,
      onState: ({ kind }) => {
        parts.onChange();
        if (kind === 'ready' || kind === 'waiting') this.#offersChanged();
      },
    });
    this.offers = new ServerOffers({
      server: this.name,
      timeoutMs: parts.config.timeoutMs ?? parts.timeoutMs,
      maxTimeoutMs: parts.maxTimeoutMs,
      connection: (signal) => this.#supervisor.get(signal),
      request: (method, params, call) => this.#request(method, params, call),
    });
  }

  /** Name in rules and tool names. */
  get name(): string {
    return serverName(this.#parts.config.name);
  }

  get config(): ServerConfig {
    return this.#parts.config;
  }

  get state(): Supervised {
    return this.#supervisor.state;
  }

  get facts(): ConnectionFacts | undefined {
    return this.#facts;
  }

  /** Problems of its tools, one line each. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Its output in the last run besides messages. */
  get said(): ServerWords | undefined {
    return this.#log?.said;
  }

  /** Usable tools. */
  get listed(): readonly AnyTool[] {
    return this.#listed;
  }

  /** Tools whose current definition is not approved. A call to one asks the user. */
  get pendingReview(): readonly AnyTool[] {
    return this.#pendingReview;
  }

  get unpinned(): readonly UnpinnedTool[] {
    return this.#unpinned;
  }

  /** Connects it if necessary; returns immediately. */
  want(): void {
    this.#supervisor.want();
  }

  settled(): Promise<void> {
    return this.#supervisor.settled();
  }

  /** Resolves when it is connected; rejects if that fails. */
  async connected(signal: AbortSignal): Promise<void> {
    await this.#supervisor.get(signal);
  }

  /** Approves tools that were shown as pending review. */
  accept(shown: readonly UnpinnedTool[]): void {
    this.#parts.pins.pin(
      this.name,
      shown.map(({ definition }) => pinOf(definition)),
    );
    const accepted = new Set(shown.map(({ definition }) => definition.hash));
    const stillUnpinned = this.#unpinned.filter(({ definition }) => !accepted.has(definition.hash));
    const letIn = this.#unpinned.filter(({ definition }) => accepted.has(definition.hash)).map(({ definition }) => definition);
    this.#offer([...this.#listed.map((tool) => tool.name), ...letIn.map(({ name }) => name)], stillUnpinned);
    this.#parts.onChange();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#relisting);
    await this.#supervisor.stop();
  }

  async #open(signal: AbortSignal, onLost: (reason: string) => void): Promise<Connection> {
    const { config, cwd, processes, logFile, logins, root, connectTimeoutMs: openMs } = this.#parts;
    const startedAt = performance.now();
    const log = new ServerLog(logFile, this.#redact);
    this.#log = log;
    let connection: Connection | undefined;
    const close = async (): Promise<void> => {
      await connection?.[Symbol.asyncDispose]();
      log[Symbol.dispose]();
    };
    try {
      connection = await openConnection(
        {
          config,
          cwd,
          processes,
          log,
          logins,
          root,
          openMs,
          events: { onLost, onListChanged: this.#listChanged, onResourceUpdated: this.#resourceUpdated },
        },
        signal,
      );
      const listStartedAt = performance.now();
      await this.#list(connection, signal);
      await this.offers.connected(connection, signal);
      const now = performance.now();
      const { transport, server, protocolVersion } = connection;
      const shown = server === undefined ? undefined : { name: this.#shown(server.name), version: this.#shown(server.version) };
      this.#facts = { transport, server: shown, protocolVersion, connectMs: now - startedAt, listMs: now - listStartedAt };
      return { ...connection, [Symbol.asyncDispose]: close };
    } catch (error) {
      await close();
      throw openError(error, this.name, this.#redact);
    }
  }

  #shown(text: string): string {
    return foreignText(text, this.#redact, 100);
  }

  /** Reads the list, and sorts it by what the user approved. */
  async #list(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#listedAt = performance.now();
    const { items: sent, incomplete } = await connection.list('tools', signal);
    const problems = incomplete === undefined ? [] : [incomplete];
    const definitions = new Map<string, ToolDefinition>();
    for (const one of sent) {
      const read = readDefinition(this.name, one, connection.hasHeaders);
      if ('problem' in read) problems.push(read.problem);
      else if (definitions.has(read.definition.name)) problems.push(`a second tool named ${this.#shown(read.definition.ownName)} was left out`);
      else definitions.set(read.definition.name, read.definition);
    }
    const { pins } = this.#parts;
    const judged = judgeDefinitions([...definitions.values()], pins.tools(this.name));
    if (judged.first !== undefined) pins.pin(this.name, judged.first);
    const before = this.#tools;
    this.#tools = new Map(
      [...definitions.values()].map((definition) => {
        const { name, hash } = definition;
        const known = before.get(name);
        // An unchanged tool stays the same object, and with it everything cached for it.
        return [name, known?.hash === hash ? known : { hash, tool: this.#tool(definition) }];
      }),
    );
    this.#problems = problems.slice(0, 50);
    this.#offer(
      judged.pinned.map(({ name }) => name),
      judged.unpinned,
    );
  }

  #offer(names: readonly string[], unpinned: readonly UnpinnedTool[]): void {
    const toolsOf = (wanted: readonly string[]): AnyTool[] => wanted.flatMap((name) => this.#tools.get(name)?.tool ?? []);
    this.#unpinned = unpinned;
    this.#listed = toolsOf(names);
    this.#pendingReview = toolsOf(unpinned.map(({ definition }) => definition.name));
  }

  #tool(definition: ToolDefinition): AnyTool {
    const { config, timeoutMs, maxTimeoutMs } = this.#parts;
    return mcpTool({
      definition,
      server: this.name,
      timeoutMs: config.timeoutMs ?? timeoutMs,
      maxTimeoutMs,
      held: () => this.#held(definition),
      call: (tool, input, call) => this.#request('tools/call', { name: tool, arguments: { ...input } }, call),
    });
  }

  #held({ name }: ToolDefinition): HeldTool | undefined {
    const found = this.#unpinned.find(({ definition }) => definition.name === name);
    if (found === undefined) return undefined;
    const { kind, difference } = found;
    return {
      reason: kind === 'new' ? 'the server did not have it when it was approved' : 'its definition has changed since it was approved',
      details:
        difference.length > MAX_DETAILS ? [...difference.slice(0, MAX_DETAILS), `… ${difference.length - MAX_DETAILS} more lines`] : difference,
      hint: `A person has to look at it and approve it: synapse mcp approve ${this.name}. Continue without it.`,
      accept: () => this.accept([found]),
    };
  }

  /** Reports the offers as changed: they depend on the connection. */
  #offersChanged(): void {
    for (const kind of ['prompts', 'resources'] as const) if (this.offers.abilities?.[kind] === true) this.#parts.onOffersChanged(kind);
  }

  readonly #listChanged: ConnectionEvents['onListChanged'] = (kind) => {
    if (kind === 'tools') return this.#relist();
    this.offers.forget(kind);
    this.#parts.onOffersChanged(kind);
  };

  /** A server may report any resource. Only watched ones are passed on. */
  readonly #resourceUpdated: ConnectionEvents['onResourceUpdated'] = (uri) => {
    if (this.offers.watched.has(uri)) this.#parts.onResourceUpdated(uri);
  };

  async #request(method: string, params: Readonly<Record<string, unknown>>, call: RemoteCall): Promise<unknown> {
    const connection = await this.#supervisor.get(call.signal);
    try {
      return await connection.request(method, params, call);
    } catch (error) {
      // The reason of the abort says more than the SDK's error.
      if (call.signal.aborted) throw call.signal.reason;
      // Over HTTP, a lost server shows only on a request.
      if (isGone(error)) this.#supervisor.lose(connection, 'is gone');
      throw (await openNeededPages(error, this.name, call)) ?? remoteError(error, this.name, this.#redact);
    }
  }

  /** Reads the list after a change: once for many changes, and again after a running read, which may have been too early. */
  #relist(): void {
    this.#changedAgain = this.#reading;
    if (this.#reading || this.#relisting !== undefined) return;
    const wait = Math.max(0, this.#listedAt + MIN_RELIST_MS - performance.now());
    this.#relisting = setTimeout(() => void this.#relistNow(), wait);
    this.#relisting.unref();
  }

  async #relistNow(): Promise<void> {
    this.#relisting = undefined;
    this.#reading = true;
    const signal = AbortSignal.timeout(this.#parts.connectTimeoutMs);
    try {
      const connection = await this.#supervisor.get(signal);
      await this.#list(connection, signal);
    } catch (error) {
      if (this.state.kind === 'stopped') return;
      const failure = toSynapseError(remoteError(error, this.name, this.#redact));
      this.#problems = [`its list of tools changed and could not be read again: ${failure.message}`];
    } finally {
      this.#reading = false;
    }
    if (this.#changedAgain) this.#relist();
    this.#parts.onChange();
  }
}
