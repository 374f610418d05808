import { homedir } from 'node:os';
import { join } from 'node:path';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import { describeTool } from '../providers/tool-description.ts';
import { nameMap } from '../providers/name-map.ts';
import type { ForeignToolHost } from '../tool/foreign-tools.ts';
import type { AnyTool } from '../tool/tool.ts';
import { redactor } from '../audit/redact.ts';
import { workspaceId } from '../state/state-folder.ts';
import type { ServerList } from './config/read-servers.ts';
import { launchLabel, launchLines, type HttpLaunch, type OAuthSettings, type ServerConfig } from './config/server-config.ts';
import { MCP_DEFAULTS, type McpOptions } from './mcp-options.ts';
import { AllOffers } from './offers/mcp-offers.ts';
import { logIn } from './oauth/login.ts';
import { LoginStore } from './oauth/login-store.ts';
import { PinStore } from './pins/pin-store.ts';
import { unknownServer, type McpServers, type McpServerStatus } from './mcp-status.ts';
import { RemoteServer } from './remote-server.ts';
import { mcpCall, mcpSearch } from './search/search-tools.ts';
import { pinLaunch, refusalOf, type Refusal } from './pins/server-refusal.ts';
import { pathOutside } from '../process/path-outside.ts';
import { ServerProcesses } from './stdio/server-processes.ts';
import { serverName, serverOf } from './tool-name.ts';

/** Maximum number of characters of all listed definitions; more would fill the context of a model. */
const MAX_LISTED_CHARACTERS = 120_000;
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

interface Entry {
  readonly config: ServerConfig;
  server: RemoteServer | undefined;
  refusal: Refusal | undefined;
}

/** Connects the servers of a workspace and keeps their tools in the registry. */
export function openMcpServers({
  options,
  list,
  registry,
  stateFolder,
  configFolder,
  root,
  onSecrets,
}: McpServersParts): McpServers & AsyncDisposable {
  const settings = { ...MCP_DEFAULTS, ...options };
  const searchAbove = options.searchAbove ?? list.searchAbove ?? MCP_DEFAULTS.searchAbove;
  const problems = [...list.problems];
  // As for their working directory: npx and task runners put folders of the workspace into PATH.
  const processes = new ServerProcesses(list.trusted ? process.env : { ...process.env, PATH: pathOutside(process.env['PATH'] ?? '', root) });
  const logins = new LoginStore(configFolder, onSecrets);
  let pins: PinStore | undefined;
  try {
    pins = new PinStore(stateFolder, root);
    if (pins.setAside !== undefined)
      problems.push(`The approvals of MCP tools were damaged and moved to ${pins.setAside}: all is taken as seen for the first time.`);
  } catch (error) {
    problems.push(toSynapseError(error).message);
  }
  const entries = new Map<string, Entry>();
  let closed = false;

  const start = (config: ServerConfig): RemoteServer | undefined => {
    if (pins === undefined) return undefined;
    return new RemoteServer({
      config,
      // In an untrusted folder, `npx server` would run a program of that name from the folder.
      cwd: list.trusted ? root : homedir(),
      logFile: join(stateFolder, 'mcp', workspaceId(root), `${serverName(config.name)}.log`),
      processes,
      pins,
      logins,
      root,
      connectTimeoutMs: settings.connectTimeoutMs,
      timeoutMs: settings.timeoutMs,
      maxTimeoutMs: settings.maxTimeoutMs,
      onChange: () => publish(),
      onOffersChanged: (kind) => offers.changed(kind),
      onResourceUpdated: (uri) => offers.updated(config.name, uri),
    });
  };
  const offers = new AllOffers(
    () => [...entries.values()].flatMap(({ server }) => (server?.state.kind === 'ready' ? [server.offers] : [])),
    (name) => entries.get(name)?.server?.offers,
  );

  const left = new Set<RemoteServer>();
  /** Returns servers whose tool names are unambiguous on every wire; a server that creates ambiguous ones is left out. */
  const distinguishable = (): RemoteServer[] => {
    const own = registry
      .all()
      .filter(({ effects }) => effects !== 'mcp')
      .map(({ name }) => name);
    const accepted: RemoteServer[] = [];
    const names = [...own];
    for (const { server } of entries.values()) {
      if (server === undefined) continue;
      const more = [...server.listed, ...server.pendingReview].map(({ name }) => name);
      try {
        nameMap([...names, ...more]);
      } catch {
        left.add(server);
        continue;
      }
      left.delete(server);
      names.push(...more);
      accepted.push(server);
    }
    return accepted;
  };

  const publish = (): void => {
    if (closed) return;
    const servers = distinguishable();
    const listed = servers.flatMap((server) => server.listed);
    const pendingReview = servers.flatMap((server) => server.pendingReview);
    const requests = servers.flatMap((server) => server.offers.tools);
    const characters = (): number => listed.reduce((sum, tool) => sum + JSON.stringify(describeTool(tool)).length, 0);
    if (listed.length <= searchAbove && characters() <= MAX_LISTED_CHARACTERS)
      registry.replaceForeign({ listed, unlisted: [...pendingReview, ...requests] });
    // This order moves an approved tool, so that every listener notices.
    else registry.replaceForeign({ listed: [search, call], unlisted: [...pendingReview, ...listed, ...requests] });
  };
  const usable = (): AnyTool[] => distinguishable().flatMap((server) => server.listed);
  const search = mcpSearch(usable);
  // A server that is not connected reports its own error.
  const call = mcpCall((name) => {
    const entry = entries.get(serverOf(name) ?? '');
    return entry !== undefined && (registry.find(name) !== undefined || entry.server?.state.kind !== 'ready');
  });

  const source = {
    waitForTool(name: string): Promise<void> | undefined {
      // A returning client knows the wire names, and may call before the servers are connected.
      const server = serverOf(name) ?? [...entries.keys()].find((one) => name.startsWith(`mcp__${one}__`));
      if (server === undefined || closed) return undefined;
      const entry = entries.get(server);
      if (entry === undefined) {
        // The error names the servers: those not connected yet have no tools in the list.
        const { message, hint } = unknownServer(server, [...entries.keys()]);
        return Promise.reject(
          new SynapseError('unknown_tool', `Unknown tool: ${JSON.stringify(name.slice(0, 128))}. ${message}`, { hint: hint ?? '' }),
        );
      }
      const { refusal, config } = entry;
      if (refusal !== undefined) {
        return Promise.reject(
          new SynapseError('unavailable', `The MCP server ${serverName(config.name)} is not started: ${refusal.reason}.`, { hint: refusal.hint }),
        );
      }
      // A connected server has listed all its tools.
      return entry.server === undefined || entry.server.state.kind === 'ready' ? undefined : entry.server.connected(new AbortController().signal);
    },
  };

  for (const config of list.servers) {
    const name = serverName(config.name);
    if (entries.has(name)) {
      problems.push(`${config.origin}: the server ${name} has the name of another one.`);
      continue;
    }
    const refusal = refusalOf(config, list.trusted, root, pins);
    entries.set(name, { config, refusal, server: refusal === undefined ? start(config) : undefined });
  }
  registry.expectFrom(source);
  if (settings.connect !== 'demand') for (const { server } of entries.values()) server?.want();

  const status = ({ config, server, refusal }: Entry): McpServerStatus => {
    const state = server?.state;
    const redact = redactor(config.secrets);
    const reason =
      refusal === undefined ? (state !== undefined && 'reason' in state ? state.reason : undefined) : `${refusal.reason}. ${refusal.hint}`;
    const said = state?.kind === 'ready' ? undefined : server?.said;
    return {
      name: serverName(config.name),
      state: refusal?.state ?? state?.kind ?? 'failed',
      ...(reason === undefined ? {} : { reason }),
      target: launchLabel(config.launch, redact),
      origin: config.origin,
      ...(said === undefined || said.stderr.length + said.stdout.length === 0 ? {} : { said }),
      ...(refusal?.state === 'unapproved' || refusal?.state === 'untrusted' ? { wants: launchLines(config, redact) } : {}),
      ...(server?.facts === undefined ? {} : { connection: server.facts }),
      tools: server?.listed.map(({ name }) => name) ?? [],
      pendingReview: server?.unpinned.map(({ definition: { name, hash }, kind, difference }) => ({ name, kind, difference, hash })) ?? [],
      problems: [
        ...(server?.problems ?? []),
        ...(server !== undefined && left.has(server) ? ['its tools are left out: a provider could not tell the name of one from another'] : []),
      ],
    };
  };
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name) ?? entries.get(serverName(name));
    if (entry === undefined) throw unknownServer(name, [...entries.keys()]);
    return entry;
  };
  const loginPlace = (name: string): { launch: HttpLaunch; settings: OAuthSettings } => {
    const { config } = entryOf(name);
    if (config.launch.kind === 'stdio') {
      throw new SynapseError('invalid_arguments', `The MCP server ${serverName(config.name)} runs on this machine: there is nothing to log in to.`, {
        hint: 'Only servers with a "url" have logins.',
      });
    }
    return { launch: config.launch, settings: config.oauth };
  };
  const settled = async (): Promise<void> => {
    await Promise.all([...entries.values()].map(async ({ server }) => await server?.settled()));
  };
  const test = async (name: string): Promise<McpServerStatus> => {
    const entry = entryOf(name);
    entry.server?.want();
    await entry.server?.settled();
    return status(entry);
  };
  return {
    problems,
    offers,
    list: () => [...entries.values()].map(status),
    tools: () => distinguishable().flatMap((server) => [...server.listed, ...server.pendingReview]),
    settled,
    test,
    async logIn(name, options) {
      const { refusal } = entryOf(name);
      if (refusal !== undefined)
        throw new SynapseError('unavailable', `The MCP server ${serverName(name)} is not started: ${refusal.reason}.`, { hint: refusal.hint });
      const { launch, settings } = loginPlace(name);
      await logIn({ name: serverName(name), launch, settings, store: logins }, options);
      return await test(name);
    },
    logOut: (name) => logins.remove(loginPlace(name).launch.url),
    async approve(name, shown) {
      const entry = entryOf(name);
      if (entry.refusal?.state === 'unapproved' && pins !== undefined) {
        pinLaunch(entry.config, pins);
        entry.refusal = undefined;
        entry.server = start(entry.config);
      } else {
        const seen = new Set((shown ?? status(entry)).pendingReview.map(({ hash }) => hash));
        const accepted = entry.server?.unpinned.filter(({ definition }) => seen.has(definition.hash)) ?? [];
        if (accepted.length > 0) entry.server?.accept(accepted);
      }
      return await test(name);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.all([...entries.values()].map(async ({ server }) => await server?.stop()));
      processes[Symbol.dispose]();
      pins?.[Symbol.dispose]();
    },
  };
}
