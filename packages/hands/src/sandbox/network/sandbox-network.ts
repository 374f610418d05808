import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Argv } from '../../launch/launch-steps.ts';
import { BRIDGE_PORT, JAVA_PROXY, PROXY_FOLDER, PROXY_SOCKET } from './bridge-port.ts';
import { bridgeBeside } from './bridges.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import type { HomeFile } from '../run-files.ts';
import type { CommandEdge, OpenedHosts } from './edge/command-edge.ts';
import type { EdgeSource } from './edge/edge-source.ts';
import type { OnwardOptions } from './edge/onward.ts';
import { hostOf, parseOpened } from './edge/request-rule.ts';
import type { FilteringProxyOptions, HostRefusal } from './filtering-proxy.ts';
import type { CommandNetwork, LiveHosts } from './edge/live-hosts.ts';
import type { OpenNetwork } from './package-network.ts';
import type { AnsweredRequest } from './asked-request.ts';
import { hostText, notedRequest, refusedTarget } from './noted-request.ts';
import type { Noted } from './network-log.ts';
import { RefusedHosts, type RefusalWatch } from './refused-hosts.ts';

/** The loopback of the sandbox. */
const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1', '0.0.0.0'];

/** The names by which a command reaches its own servers, without the proxy. A rule that opens one of this machine means that one. */
const ownServers = (domains: readonly string[]): string =>
  OWN_NAMES.filter((name) => !domains.some((domain) => domain.replace(/:\d+$/u, '') === name)).join(',');

/** What the network policy adds to a sandbox. */
export interface SandboxNetwork extends AsyncDisposable {
  readonly namespace: 'own' | 'host';
  readonly mounts: readonly Mount[];
  readonly environment: Readonly<Record<string, string>>;
  /** Files in the home folder of the command. Default: none. */
  readonly homeFiles?: readonly HomeFile[];
  /** Wraps the command, inside the sandbox. Default: unchanged. @param isShared whether other commands are in its network */
  readonly wrap?: (argv: Argv, isShared: boolean) => Argv;
  /** Opens the one of a command, with a proxy that no other command uses. Default: commands need none of their own. */
  readonly forCommand?: (command: CommandNetwork) => Promise<SandboxNetwork>;
  /** Watches which hosts its proxy refuses while a command runs. Missing without a proxy. */
  readonly watchRefusals?: () => RefusalWatch;
}

const plain = (namespace: 'own' | 'host'): SandboxNetwork => ({
  namespace,
  mounts: [],
  environment: {},
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

/** Only a private loopback. */
export const NO_NETWORK: SandboxNetwork = plain('own');

/** What a proxy opens, and to whom it tells. */
interface ProxyParts {
  readonly policy: Exclude<OpenNetwork, string>;
  readonly opened: OpenedHosts;
  readonly options: NetworkOptions;
  readonly live: LiveHosts;
}

/** What the network of a sandbox needs beside the hosts. */
export interface NetworkOptions extends Omit<FilteringProxyOptions, 'domains' | 'named' | 'ended'> {
  /** Where secrets and rules about requests come from. Default: there are none. */
  readonly edge?: EdgeSource | undefined;
  /** Receives what commands ask for. Default: nothing does. */
  readonly onAsked?: ((noted: Noted) => void) | undefined;
  /** Programs that a rule denies: the bridge is none of them. */
  readonly deniedPrograms?: readonly string[] | undefined;
  /** How the servers of ended hosts are verified. Default: by what this machine trusts. */
  readonly verifying?: OnwardOptions['verifying'];
}

/** Opens a proxy on a socket of its own, with the folder that a sandbox shows of it. */
async function openProxy({ policy, opened, options, live }: ProxyParts, edge?: CommandEdge): Promise<SandboxNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-proxy-'));
  const socket = join(folder, 'proxy.sock');
  // Imported here: Node's HTTP takes 20 ms to load, and most commands get no network.
  const { FilteringProxy } = await import('./filtering-proxy.ts');
  const refused = new RefusedHosts();
  const { edge: _source, deniedPrograms, verifying, onAsked = () => {}, ...rest } = options;
  const onRefused = (target: string, why: HostRefusal): void => {
    refused.add(target, why);
    const noted = refusedTarget(target, why);
    if (noted !== undefined) onAsked(noted);
    options.onRefused?.(target, why);
  };
  const domains = [...opened.hosts, ...opened.rules.map(({ host }) => host)];
  const onRequest = (request: AnsweredRequest): void => {
    refused.addRequest(request);
    onAsked(notedRequest(request));
  };
  const ended = edge === undefined ? undefined : await (await import('./edge/command-trust.ts')).endFor(edge, { folder, verifying, onRequest });
  const proxy = await FilteringProxy.listen(socket, {
    ...rest,
    domains,
    named: (policy.named ?? []).map((name) => hostOf(parseOpened(name))),
    onRefused,
    deniedBy: live.deniedBy,
    allows: live.allows,
    onConnected: (asked) => onAsked({ method: 'CONNECT', host: hostText(asked), path: '', outcome: 'sent' }),
    ...(ended === undefined ? {} : { ended: ended.open }),
  });
  const address = `http://127.0.0.1:${BRIDGE_PORT}`;
  const added = Object.entries(ended?.added ?? {}).map(([name, value]) => `${name}=${value}`);
  const bridge = bridgeBeside(deniedPrograms);
  return {
    namespace: 'own',
    mounts: [{ kind: 'read-only', path: PROXY_FOLDER, source: folder }, ...bridge.mounts, ...(ended?.mounts ?? [])],
    environment: {
      ...Object.fromEntries(
        // An empty ALL_PROXY is an error in Perl.
        ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy', 'YARN_HTTP_PROXY', 'YARN_HTTPS_PROXY'].map((name) => [
          name,
          address,
        ]),
      ),
      // Servers that the command or its session started are not reached through the proxy.
      NO_PROXY: ownServers(domains),
      no_proxy: ownServers(domains),
      // Java programs ignore these variables.
      MAVEN_OPTS: JAVA_PROXY,
      GRADLE_OPTS: JAVA_PROXY,
      ...policy.environment,
      ...ended?.environment,
    },
    ...(edge === undefined ? {} : { homeFiles: edge.homeFiles }),
    wrap: (argv, isShared) => [...bridge.words, PROXY_SOCKET, String(BRIDGE_PORT), isShared ? '1' : '', added.join('\n'), ...argv],
    watchRefusals: () => refused.watch(),
    async [Symbol.asyncDispose]() {
      live[Symbol.dispose]();
      await proxy[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Opens the network of a sandbox. For host names, a filtering proxy runs in this process and listens on a socket that
 * only the sandbox can see. A bridge inside makes it available as a proxy on the loopback of the sandbox. Each command has a proxy of its
 * own: with its secrets, and for the hosts that it was allowed.
 */
export async function openNetwork(policy: OpenNetwork, options: NetworkOptions = {}): Promise<SandboxNetwork> {
  if (policy === 'off') return NO_NETWORK;
  if (policy === 'on') return plain('host');
  const named = policy.domains.map(parseOpened);
  const opened: OpenedHosts = { hosts: named.filter((one) => typeof one === 'string'), rules: named.filter((one) => typeof one !== 'string') };
  return {
    ...NO_NETWORK,
    async forCommand(command) {
      const { edge: source } = options;
      const { LiveHosts } = await import('./edge/live-hosts.ts');
      const live = new LiveHosts(command, source);
      const parts = { policy, opened, options, live };
      if (source === undefined) return await openProxy(parts);
      const { CommandEdge } = await import('./edge/command-edge.ts');
      return await openProxy(parts, await CommandEdge.open(opened, source, live));
    },
  };
}
