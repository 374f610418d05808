import { toSynapseError } from '@synapse/protocol';
import { redactor, type Redact } from '../store/audit/redact.ts';
import type { AnyTool, HeldTool } from '../tool.ts';
import type { Connection, RemoteCall, TransportKind } from './connection/connection.ts';
import { openConnection } from './connection/open-connection.ts';
import { foreignText, isGone, openError, remoteError } from './connection/remote-error.ts';
import type { Supervised } from './connection/supervision.ts';
import { Supervisor } from './connection/supervisor.ts';
import type { ServerConfig } from './config/server-config.ts';
import { judgeDefinitions, pinOf, type UnpinnedTool } from './pins/judge-definitions.ts';
import type { PinStore } from './pins/pin-store.ts';
import { ServerLog } from './stdio/server-log.ts';
import type { ServerProcesses } from './stdio/server-processes.ts';
import { readDefinition, type ToolDefinition } from './tools/definition.ts';
import { mcpTool } from './tools/mcp-tool.ts';
import { serverName } from './tools/tool-name.ts';

/** The list is read again at most this often, in milliseconds, however often a server says that it changed. */
const MIN_RELIST_MS = 1_000;
/** Lines of a difference in a question: what is cut is said, and `synapse mcp approve` shows it whole. */
const MAX_DETAILS = 100;

/** What a server needs of those who keep it. */
export interface RemoteServerParts {
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly logFile: string;
  readonly processes: ServerProcesses;
  readonly pins: PinStore;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Hears whenever the tools or the state have changed. */
  readonly onChange: () => void;
}

/** What is known of a connection that was made. */
export interface ConnectionFacts {
  readonly transport: TransportKind;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly protocolVersion: string | undefined;
  /** Milliseconds from the start to the first list of tools, and of that list alone. */
  readonly connectMs: number;
  readonly listMs: number;
}

/** One MCP server: its connection, kept alive, and its tools, as far as a person let them in. */
export class RemoteServer {
  readonly #parts: RemoteServerParts;
  readonly #redact: Redact;
  readonly #supervisor: Supervisor<Connection>;
  #tools: ReadonlyMap<string, { readonly hash: string; readonly tool: AnyTool }> = new Map();
  #listed: readonly AnyTool[] = [];
  #heldBack: readonly AnyTool[] = [];
  #unpinned: readonly UnpinnedTool[] = [];
  #problems: readonly string[] = [];
  #facts: ConnectionFacts | undefined;
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
      onState: () => parts.onChange(),
    });
  }

  /** As rules and tools have it. */
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

  /** What is wrong with what it offers, a line each. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Tools that may be used. */
  get listed(): readonly AnyTool[] {
    return this.#listed;
  }

  /** Tools that nobody has let in as they are: they can be called, and a person is asked then. */
  get heldBack(): readonly AnyTool[] {
    return this.#heldBack;
  }

  get unpinned(): readonly UnpinnedTool[] {
    return this.#unpinned;
  }

  /** Connects it where it is not; returns at once. */
  want(): void {
    this.#supervisor.want();
  }

  settled(): Promise<void> {
    return this.#supervisor.settled();
  }

  /** The connection, once it is made; throws where it cannot be. */
  async connected(signal: AbortSignal): Promise<void> {
    await this.#supervisor.get(signal);
  }

  /** Lets in what was shown as not let in: all of it, or one tool. */
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
    const { config, cwd, processes, logFile } = this.#parts;
    const startedAt = performance.now();
    const log = new ServerLog(logFile, this.#redact);
    let connection: Connection | undefined;
    const close = async (): Promise<void> => {
      await connection?.[Symbol.asyncDispose]();
      log[Symbol.dispose]();
    };
    try {
      connection = await openConnection({ config, cwd, processes, log, events: { onLost, onToolsChanged: () => this.#relist() } }, signal);
      const listStartedAt = performance.now();
      await this.#list(connection, signal);
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

  /** Reads the list, and sorts it by what a person let in. */
  async #list(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#listedAt = performance.now();
    const { tools: sent, incomplete } = await connection.listTools(signal);
    const problems = incomplete === undefined ? [] : [incomplete];
    const definitions = new Map<string, ToolDefinition>();
    for (const one of sent) {
      const read = readDefinition(this.name, one);
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
        // The same tool stays the same object: what was worked out for it is kept with it.
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
    this.#heldBack = toolsOf(unpinned.map(({ definition }) => definition.name));
  }

  #tool(definition: ToolDefinition): AnyTool {
    const { config, timeoutMs, maxTimeoutMs } = this.#parts;
    return mcpTool({
      definition,
      server: this.name,
      timeoutMs: config.timeoutMs ?? timeoutMs,
      maxTimeoutMs,
      held: () => this.#held(definition),
      call: (tool, input, call) => this.#call(tool, input, call),
    });
  }

  #held({ name }: ToolDefinition): HeldTool | undefined {
    const found = this.#unpinned.find(({ definition }) => definition.name === name);
    if (found === undefined) return undefined;
    const { kind, difference } = found;
    return {
      reason: kind === 'new' ? 'it is new at a server that was let in without it' : 'its definition has changed since it was let in',
      details:
        difference.length > MAX_DETAILS ? [...difference.slice(0, MAX_DETAILS), `… ${difference.length - MAX_DETAILS} more lines`] : difference,
      hint: `A person has to look at it and let it in: synapse mcp approve ${this.name}. Go on without it.`,
      accept: () => this.accept([found]),
    };
  }

  async #call(tool: string, input: Readonly<Record<string, unknown>>, call: RemoteCall): Promise<unknown> {
    const connection = await this.#supervisor.get(call.signal);
    try {
      return await connection.call(tool, input, call);
    } catch (error) {
      // Whoever stopped it knows why; the SDK only has words of its own for that.
      if (call.signal.aborted) throw call.signal.reason;
      // A server over HTTP that is gone says so only when it is asked.
      if (isGone(error)) this.#supervisor.lose(connection, 'is gone');
      throw remoteError(error, this.name, this.#redact);
    }
  }

  /** Follows a change of the list: once for many, and after the reading that is under way, which may have come too early for it. */
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
