import { homedir } from 'node:os';
import { join } from 'node:path';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import { describeTool } from '../providers/tool-description.ts';
import { nameMap } from '../providers/name-map.ts';
import type { ToolRegistry } from '../registry.ts';
import type { AnyTool } from '../tool.ts';
import { redactor } from '../store/audit/redact.ts';
import { workspaceId } from '../store/workspace-id.ts';
import type { ServerList } from './config/read-servers.ts';
import { launchLabel, launchLines, type ServerConfig } from './config/server-config.ts';
import { MCP_DEFAULTS, type McpOptions } from './mcp-options.ts';
import { PinStore } from './pins/pin-store.ts';
import { NO_SERVERS, unknownServer, type McpServers, type McpServerStatus } from './mcp-status.ts';
import { RemoteServer } from './remote-server.ts';
import { mcpCall, mcpSearch } from './search/search-tools.ts';
import { pinLaunch, refusalOf, type Refusal } from './server-refusal.ts';
import { ServerProcesses } from './stdio/server-processes.ts';
import { serverName, serverOf } from './tools/tool-name.ts';

/** Characters of all definitions together that models are shown as a list; more would fill their context. */
const MAX_LISTED_CHARACTERS = 120_000;
/** What the servers of hands are opened with. */
export interface McpServersParts {
  readonly options: McpOptions;
  readonly list: ServerList;
  readonly registry: ToolRegistry;
  readonly stateFolder: string;
  /** The workspace's real path. */
  readonly root: string;
}

interface Entry {
  readonly config: ServerConfig;
  server: RemoteServer | undefined;
  refusal: Refusal | undefined;
}

/** Connects the servers of a workspace and keeps their tools in the registry. */
export function openMcpServers({ options, list, registry, stateFolder, root }: McpServersParts): McpServers & AsyncDisposable {
  if (list.servers.length === 0) return { ...NO_SERVERS, problems: list.problems };
  const settings = { ...MCP_DEFAULTS, ...options };
  const searchAbove = options.searchAbove ?? list.searchAbove ?? MCP_DEFAULTS.searchAbove;
  const problems = [...list.problems];
  const processes = new ServerProcesses();
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
      // In a folder that nobody trusts, `npx server` would run what the folder brings along under that name.
      cwd: list.trusted ? root : homedir(),
      logFile: join(stateFolder, 'mcp', workspaceId(root), `${serverName(config.name)}.log`),
      processes,
      pins,
      connectTimeoutMs: settings.connectTimeoutMs,
      timeoutMs: settings.timeoutMs,
      maxTimeoutMs: settings.maxTimeoutMs,
      onChange: () => publish(),
    });
  };

  const left = new Set<RemoteServer>();
  /** Servers whose tools' names can be told apart on every wire; a hostile one can make some that cannot, and is left out. */
  const distinguishable = (): RemoteServer[] => {
    const own = registry
      .all()
      .filter(({ effects }) => effects !== 'mcp')
      .map(({ name }) => name);
    const accepted: RemoteServer[] = [];
    const names = [...own];
    for (const { server } of entries.values()) {
      if (server === undefined) continue;
      const more = [...server.listed, ...server.heldBack].map(({ name }) => name);
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
    const heldBack = servers.flatMap((server) => server.heldBack);
    const characters = (): number => listed.reduce((sum, tool) => sum + JSON.stringify(describeTool(tool)).length, 0);
    if (listed.length <= searchAbove && characters() <= MAX_LISTED_CHARACTERS) registry.replaceForeign({ listed, unlisted: heldBack });
    // In this order one that is let in changes its place, so that those who list it all the same hear of it.
    else registry.replaceForeign({ listed: [search, call], unlisted: [...heldBack, ...listed] });
  };
  const usable = (): AnyTool[] => distinguishable().flatMap((server) => server.listed);
  const search = mcpSearch(usable);
  // A server that is not there has its own words for it.
  const call = mcpCall((name) => {
    const entry = entries.get(serverOf(name) ?? '');
    return entry !== undefined && (registry.find(name) !== undefined || entry.server?.state.kind !== 'ready');
  });

  const source = {
    coming(name: string): Promise<void> | undefined {
      // A client that was here before knows the names of the wire, and may be faster than the servers.
      const server = serverOf(name) ?? [...entries.keys()].find((one) => name.startsWith(`mcp__${one}__`));
      if (server === undefined || closed) return undefined;
      const entry = entries.get(server);
      if (entry === undefined) {
        // A server that nobody has connected yet is not seen in the list of tools.
        const { message, hint } = unknownServer(server, [...entries.keys()]);
        return Promise.reject(
          new SynapseError('unknown_tool', `There is no tool named ${JSON.stringify(name.slice(0, 128))}: ${message}`, { hint: hint ?? '' }),
        );
      }
      const { refusal, config } = entry;
      if (refusal !== undefined) {
        return Promise.reject(
          new SynapseError('unavailable', `The MCP server ${serverName(config.name)} is not started: ${refusal.reason}.`, { hint: refusal.hint }),
        );
      }
      // What is connected has told all its tools.
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
    return {
      name: serverName(config.name),
      state: refusal?.state ?? state?.kind ?? 'failed',
      ...(reason === undefined ? {} : { reason }),
      target: launchLabel(config.launch, redact),
      origin: config.origin,
      ...(refusal?.state === 'unapproved' || refusal?.state === 'untrusted' ? { wants: launchLines(config, redact) } : {}),
      ...(server?.facts === undefined ? {} : { connection: server.facts }),
      tools: server?.listed.map(({ name }) => name) ?? [],
      heldBack: server?.unpinned.map(({ definition: { name, hash }, kind, difference }) => ({ name, kind, difference, hash })) ?? [],
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
    list: () => [...entries.values()].map(status),
    tools: () => distinguishable().flatMap((server) => [...server.listed, ...server.heldBack]),
    settled,
    test,
    async approve(name, shown) {
      const entry = entryOf(name);
      if (entry.refusal?.state === 'unapproved' && pins !== undefined) {
        pinLaunch(entry.config, pins);
        entry.refusal = undefined;
        entry.server = start(entry.config);
      } else {
        const seen = new Set((shown ?? status(entry)).heldBack.map(({ hash }) => hash));
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
