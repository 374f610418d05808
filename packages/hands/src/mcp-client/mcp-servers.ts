import { homedir } from 'node:os';
import { join } from 'node:path';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import { pathOutside } from '../process/path-outside.ts';
import { workspaceId } from '../state/state-folder.ts';
import type { ForeignToolHost, ToolSource } from '../tool/foreign-tools.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { ServerList } from './config/read-servers.ts';
import type { HttpLaunch, OAuthSettings, ServerConfig } from './config/server-config.ts';
import { MCP_DEFAULTS, type McpOptions } from './mcp-options.ts';
import { unknownServer, type McpServers, type McpServerStatus } from './mcp-status.ts';
import { logIn, type LoginOptions } from './oauth/login.ts';
import { LoginStore } from './oauth/login-store.ts';
import { AllOffers } from './offers/mcp-offers.ts';
import { PinStore } from './pins/pin-store.ts';
import { pinLaunch, refusalOf, type Refusal } from './pins/server-refusal.ts';
import { PublishedTools } from './published-tools.ts';
import { RemoteServer } from './remote-server.ts';
import { statusOf, type ServerEntry } from './server-status.ts';
import { ServerProcesses } from './stdio/server-processes.ts';
import { serverName, serverOf } from './tool-name.ts';

/** What the servers of hands are opened with. */
export interface McpServersParts {
  readonly options: McpOptions;
  readonly list: ServerList;
  readonly registry: ForeignToolHost;
  readonly stateFolder: string;
  readonly configFolder: string;
  /** Real path of the workspace. */
  readonly root: string;
  /** Receives login tokens, so that no record shows them. */
  readonly onSecrets: (secrets: readonly string[]) => void;
}

/** Connects the servers of a workspace and keeps their tools in the registry. */
export function openMcpServers(parts: McpServersParts): McpServers & AsyncDisposable {
  const servers = new WorkspaceServers(parts);
  servers.addAll();
  parts.registry.expectFrom(servers);
  if (parts.options.connect !== 'demand') servers.connectAll();
  // A plain object: callers pass its functions on alone, and replace some of them.
  return {
    problems: servers.problems,
    offers: servers.offers,
    list: () => servers.list(),
    tools: () => servers.tools(),
    settled: async () => await servers.settled(),
    test: async (name) => await servers.test(name),
    logIn: async (name, options) => await servers.logIn(name, options),
    logOut: (name) => servers.logOut(name),
    approve: async (name, shown) => await servers.approve(name, shown),
    [Symbol.asyncDispose]: async () => await servers[Symbol.asyncDispose](),
  };
}

/** Opens what a person approved. If it cannot be read, no server is started. */
function openPins({ stateFolder, root }: McpServersParts, problems: string[]): PinStore | undefined {
  try {
    const pins = new PinStore(stateFolder, root);
    if (pins.setAside !== undefined)
      problems.push(`The approvals of MCP tools were damaged and moved to ${pins.setAside}: all is taken as seen for the first time.`);
    return pins;
  } catch (error) {
    problems.push(toSynapseError(error).message);
    return undefined;
  }
}

class WorkspaceServers implements McpServers, ToolSource, AsyncDisposable {
  readonly problems: string[];
  readonly offers: AllOffers;
  readonly #parts: McpServersParts;
  readonly #pins: PinStore | undefined;
  readonly #logins: LoginStore;
  readonly #processes: ServerProcesses;
  readonly #tools: PublishedTools;
  readonly #entries = new Map<string, ServerEntry>();
  #closed = false;

  constructor(parts: McpServersParts) {
    const { options, list, registry, configFolder, root, onSecrets } = parts;
    this.#parts = parts;
    this.problems = [...list.problems];
    // As for their working directory: npx and task runners put folders of the workspace into PATH.
    this.#processes = new ServerProcesses(list.trusted ? process.env : { ...process.env, PATH: pathOutside(process.env['PATH'] ?? '', root) });
    this.#logins = new LoginStore(configFolder, onSecrets);
    this.#pins = openPins(parts, this.problems);
    this.#tools = new PublishedTools({
      registry,
      searchAbove: options.searchAbove ?? list.searchAbove ?? MCP_DEFAULTS.searchAbove,
      servers: () => this.#servers(),
      // A server that is not connected reports its own error.
      isTool: (name) => {
        const entry = this.#entries.get(serverOf(name) ?? '');
        return entry !== undefined && (registry.find(name) !== undefined || entry.server?.state.kind !== 'ready');
      },
    });
    this.offers = new AllOffers(
      () => this.#servers().flatMap(({ state, offers }) => (state.kind === 'ready' ? [offers] : [])),
      (name) => this.#entries.get(name)?.server?.offers,
    );
  }

  /** Adds the configured servers, and starts those that may be started. */
  addAll(): void {
    const { list, root } = this.#parts;
    for (const config of list.servers) {
      const name = serverName(config.name);
      if (this.#entries.has(name)) {
        this.problems.push(`${config.origin}: the server ${name} has the name of another one.`);
        continue;
      }
      const refusal = refusalOf(config, list.trusted, root, this.#pins);
      this.#entries.set(name, { config, refusal, server: refusal === undefined ? this.#start(config) : undefined });
    }
  }

  connectAll(): void {
    for (const server of this.#servers()) server.want();
  }

  waitForTool(name: string): Promise<void> | undefined {
    // A returning client knows the wire names, and may call before the servers are connected.
    const server = serverOf(name) ?? [...this.#entries.keys()].find((one) => name.startsWith(`mcp__${one}__`));
    if (server === undefined || this.#closed) return undefined;
    const entry = this.#entries.get(server);
    if (entry === undefined) {
      // The error names the servers: those not connected yet have no tools in the list.
      const { message, hint } = unknownServer(server, [...this.#entries.keys()]);
      return Promise.reject(
        new SynapseError('unknown_tool', `Unknown tool: ${JSON.stringify(name.slice(0, 128))}. ${message}`, { hint: hint ?? '' }),
      );
    }
    if (entry.refusal !== undefined) return Promise.reject(notStarted(serverName(entry.config.name), entry.refusal));
    // A connected server has listed all its tools.
    return entry.server === undefined || entry.server.state.kind === 'ready' ? undefined : entry.server.connected(new AbortController().signal);
  }

  list(): McpServerStatus[] {
    return [...this.#entries.values()].map((entry) => this.#status(entry));
  }

  tools(): AnyTool[] {
    return this.#tools.distinguishable().flatMap((server) => [...server.listed, ...server.pendingReview]);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#servers().map(async (server) => await server.settled()));
  }

  async test(name: string): Promise<McpServerStatus> {
    const entry = this.#entryOf(name);
    entry.server?.want();
    await entry.server?.settled();
    return this.#status(entry);
  }

  async logIn(name: string, options: LoginOptions): Promise<McpServerStatus> {
    const { refusal } = this.#entryOf(name);
    if (refusal !== undefined) throw notStarted(serverName(name), refusal);
    await logIn({ name: serverName(name), ...this.#loginPlace(name), store: this.#logins }, options);
    return await this.test(name);
  }

  async logOut(name: string): Promise<boolean> {
    return await this.#logins.remove(this.#loginPlace(name).launch.url);
  }

  async approve(name: string, shown?: Pick<McpServerStatus, 'pendingReview'>): Promise<McpServerStatus> {
    const entry = this.#entryOf(name);
    if (entry.refusal?.state === 'unapproved' && this.#pins !== undefined) {
      pinLaunch(entry.config, this.#pins);
      entry.refusal = undefined;
      entry.server = this.#start(entry.config);
    } else {
      const seen = new Set((shown ?? this.#status(entry)).pendingReview.map(({ hash }) => hash));
      const accepted = entry.server?.unpinned.filter(({ definition }) => seen.has(definition.hash)) ?? [];
      if (accepted.length > 0) entry.server?.accept(accepted);
    }
    return await this.test(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#servers().map(async (server) => await server.stop()));
    this.#processes[Symbol.dispose]();
    this.#pins?.[Symbol.dispose]();
  }

  /** The servers that may be started. */
  #servers(): RemoteServer[] {
    return [...this.#entries.values()].flatMap(({ server }) => server ?? []);
  }

  #start(config: ServerConfig): RemoteServer | undefined {
    if (this.#pins === undefined) return undefined;
    const { options, list, stateFolder, root } = this.#parts;
    const { connectTimeoutMs, timeoutMs, maxTimeoutMs } = { ...MCP_DEFAULTS, ...options };
    return new RemoteServer({
      config,
      // In an untrusted folder, `npx server` would run a program of that name from the folder.
      cwd: list.trusted ? root : homedir(),
      logFile: join(stateFolder, 'mcp', workspaceId(root), `${serverName(config.name)}.log`),
      processes: this.#processes,
      pins: this.#pins,
      logins: this.#logins,
      root,
      connectTimeoutMs,
      timeoutMs,
      maxTimeoutMs,
      onChange: () => {
        if (!this.#closed) this.#tools.publish();
      },
      onOffersChanged: (kind) => this.offers.changed(kind),
      onResourceUpdated: (uri) => this.offers.updated(config.name, uri),
    });
  }

  #status(entry: ServerEntry): McpServerStatus {
    return statusOf(entry, entry.server !== undefined && this.#tools.leavesOut(entry.server));
  }

  #entryOf(name: string): ServerEntry {
    const entry = this.#entries.get(name) ?? this.#entries.get(serverName(name));
    if (entry === undefined) throw unknownServer(name, [...this.#entries.keys()]);
    return entry;
  }

  #loginPlace(name: string): { launch: HttpLaunch; settings: OAuthSettings } {
    const { config } = this.#entryOf(name);
    if (config.launch.kind !== 'stdio') return { launch: config.launch, settings: config.oauth };
    throw new SynapseError('invalid_arguments', `The MCP server ${serverName(config.name)} runs on this machine: there is nothing to log in to.`, {
      hint: 'Only servers with a "url" have logins.',
    });
  }
}

function notStarted(name: string, { reason, hint }: Refusal): SynapseError {
  return new SynapseError('unavailable', `The MCP server ${name} is not started: ${reason}.`, { hint });
}
