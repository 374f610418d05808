import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { learningRedactor, secretValues } from '../audit/redact.ts';
import type { ServerList } from '../mcp-client/config/read-servers.ts';
import { defaultConfigFolder, readConfiguration } from '../policy/configuration-files.ts';
import type { PolicyFile } from '../policy/load-policy.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import { childEnvironment } from '../process/environment.ts';
import { assertNotLost, countsHere, track } from '../projects/trust.ts';
import { domainRule } from '../sandbox/network/host-rules.ts';
import { defaultStateFolder } from '../state/state-folder.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { openRoot, realPath } from '../workspace/open-root.ts';
import { ReadableRoots } from '../workspace/readable-roots.ts';
import type { HandsOptions } from './hands-options.ts';
import { listServers } from './list-servers.ts';
import { openPolicy } from './open-policy.ts';
import { ToolRegistry } from './registry.ts';

/** The folders of hands: the workspace, what may be read beside it, and Synapse's own. */
export interface Place {
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly readable: ReadableRoots;
  readonly stateFolder: string;
  /** Folder of the user's configuration. */
  readonly userFolder: string;
  /** Real paths of Synapse's own folders. */
  readonly ownFolders: readonly string[];
}

/** Opens the folders. The stack closes them. */
export function openPlace(options: HandsOptions, stack: AsyncDisposableStack): Place {
  // Validated now, not at the first command, which may be much later.
  if (typeof options.network === 'object') for (const domain of options.network.domains) domainRule(domain);
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const userFolder = options.configFolder ?? defaultConfigFolder();
  if (!existsSync(options.workspace)) assertNotLost(options.workspace, stateFolder);
  if (options.tracked !== undefined) track(options.workspace, stateFolder, options.tracked);
  const { confinement, rootNames } = openRoot(options.workspace, stateFolder);
  stack.use(confinement);
  // Real paths: a path through a link would seem to be elsewhere.
  const ownFolders = [stateFolder, userFolder].map((path) => realPath(resolvePath(path)));
  const readable = stack.use(new ReadableRoots(options.readable ?? [], ownFolders));
  return { confinement, rootNames, readable, stateFolder, userFolder, ownFolders };
}

/** What is configured for hands on a place. */
export interface Configuration {
  readonly registry: ToolRegistry;
  readonly files: readonly PolicyFile[];
  readonly policy: PolicyStore;
  /** The MCP servers; undefined if MCP is off. */
  readonly servers: ServerList | undefined;
  /** Removes secrets from records, and learns further ones. */
  readonly secrets: ReturnType<typeof learningRedactor>;
}

/** Reads the configuration: tools, rules, MCP servers, and what is secret. */
export function configure(options: HandsOptions, { confinement: { root }, rootNames, readable, stateFolder, userFolder }: Place): Configuration {
  const folders = { user: userFolder, project: root };
  const servers = listServers(options, { ...folders, stateFolder });
  const secrets = learningRedactor([...deniedSecrets(options.environment), ...(servers?.servers.flatMap((server) => server.secrets) ?? [])]);
  const registry = new ToolRegistry([...CANONICAL_TOOLS, ...(options.tools ?? [])]);
  const files = readConfiguration(folders, (text) => countsHere(root, stateFolder, text));
  const policy = openPolicy(options, { files, stateFolder, rootNames, root, registry, readable: readable.folders });
  return { registry, files, policy, servers, secrets };
}

/** Secrets in environment variables, which no record may contain. */
function deniedSecrets(extra: HandsOptions['environment'] = {}): string[] {
  const given = childEnvironment(process.env);
  const denied = Object.entries(process.env).filter(([name]) => !Object.hasOwn(given, name));
  return secretValues({ ...Object.fromEntries(denied), ...extra });
}
