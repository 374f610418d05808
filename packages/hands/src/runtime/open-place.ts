import { existsSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import { learningRedactor, secretValues } from '../audit/redact.ts';
import { MAIN_STATE } from '../branch/branch-state.ts';
import { readServers, type ServerList, type ServerFolders } from '../mcp-client/config/read-servers.ts';
import { defaultConfigFolder, readConfiguration } from '../policy/configuration-files.ts';
import { readPolicyFiles, type PolicyFile } from '../policy/load-policy.ts';
import { PolicyStore } from '../policy/policy-store.ts';
import { childEnvironment } from '../process/environment.ts';
import { assertNotLost, countsHere, track, isTrusted } from '../projects/trust.ts';
import { parseOpened } from '../sandbox/network/edge/request-rule.ts';
import { branchPlace } from '../state/branch-place.ts';
import { defaultStateFolder } from '../state/state-folder.ts';
import type { AnyTool } from '../tool/tool.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { openRoot, realPath } from '../workspace/open-root.ts';
import { ReadableRoots, readingRules } from '../workspace/readable-roots.ts';
import type { HandsOptions } from './hands-options.ts';
import { branchConflictsTool } from './branch-conflicts-tool.ts';
import type { Hands } from './hands.ts';
import { lineWritersTool } from './line-writers-tool.ts';
import { ToolRegistry } from './registry.ts';
import { readToolSettings, type ExtraTool } from './tool-settings.ts';
import { homedir } from 'node:os';
import { readGivenServers } from '../mcp-client/config/read-server.ts';
import type { McpOptions } from '../mcp-client/mcp-options.ts';
import { capabilitySource } from '../policy/capabilities.ts';
import { GrantFile } from '../policy/grant-file.ts';
import type { PolicyOptions, PolicySource } from '../policy/policy.ts';

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
  if (typeof options.network === 'object') for (const opened of options.network.domains) parseOpened(opened);
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const userFolder = options.configFolder ?? defaultConfigFolder();
  if (!existsSync(options.workspace)) assertNotLost(options.workspace, stateFolder);
  if (options.tracked !== undefined) track(options.workspace, stateFolder, options.tracked);
  const { confinement, rootNames } = openRoot(options.workspace, stateFolder);
  stack.use(confinement);
  // Around a branch that is not mounted are the folders that it shares, and the secrets.
  const main = branchPlace() === undefined ? [] : [join(stateFolder, MAIN_STATE)];
  // Real paths: a path through a link would seem to be elsewhere.
  const ownFolders = [stateFolder, userFolder, ...main].map((path) => realPath(resolvePath(path)));
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

/** Reads the configuration: tools, rules, MCP servers, and what is secret. @param hands those that are being opened, for their calls */
export function configure(
  options: HandsOptions,
  { confinement: { root }, rootNames, readable, stateFolder, userFolder }: Place,
  hands: () => Hands,
): Configuration {
  const folders = { user: userFolder, project: root };
  const servers = listServers(options, { ...folders, stateFolder });
  const secrets = learningRedactor([...deniedSecrets(options.environment), ...(servers?.servers.flatMap((server) => server.secrets) ?? [])]);
  const files = readConfiguration(folders, (text) => countsHere(root, stateFolder, text));
  const extras: Readonly<Record<ExtraTool, () => AnyTool>> = {
    branch_conflicts: () => branchConflictsTool(hands),
    line_writers: () => lineWritersTool(root, stateFolder),
  };
  const extra = Array.from(readToolSettings(files), (name) => extras[name]());
  const registry = new ToolRegistry([...CANONICAL_TOOLS, ...extra, ...(options.tools ?? [])]);
  const policy = openPolicy(options, { files, stateFolder, rootNames, root, registry, readable: readable.folders });
  return { registry, files, policy, servers, secrets };
}

/** Secrets in environment variables, which no record may contain. */
function deniedSecrets(extra: HandsOptions['environment'] = {}): string[] {
  const given = childEnvironment(process.env);
  const denied = Object.entries(process.env).filter(([name]) => !Object.hasOwn(given, name));
  return secretValues({ ...Object.fromEntries(denied), ...extra });
}

/** The MCP options; undefined if MCP is off. */
export function mcpOptions({ mcp }: HandsOptions): McpOptions | undefined {
  return mcp === true ? {} : mcp === false ? undefined : mcp;
}

/** The MCP servers that these hands may use; undefined if MCP is off. */
function listServers(options: HandsOptions, { stateFolder, ...folders }: ServerFolders & { readonly stateFolder: string }): ServerList | undefined {
  const mcp = mcpOptions(options);
  if (mcp === undefined) return undefined;
  const variables = { environment: process.env, workspace: folders.project, home: homedir() };
  const given = readGivenServers(mcp.servers ?? {}, variables);
  if (mcp.files === false) return { servers: given, trusted: isTrusted(folders.project, stateFolder), problems: [], searchAbove: undefined };
  return readServers(folders, given, isTrusted(folders.project, stateFolder), variables);
}

interface PolicySurroundings {
  readonly files: readonly PolicyFile[];
  readonly stateFolder: string;
  readonly root: string;
  readonly rootNames: readonly string[];
  readonly registry: ToolRegistry;
  readonly readable: readonly string[];
}

/** The rules from all sources for this workspace. */
function openPolicy(options: HandsOptions, { files, stateFolder, root, rootNames, registry, readable }: PolicySurroundings): PolicyStore {
  const user = options.configFolder ?? defaultConfigFolder();
  const given: PolicySource[] = options.policy === undefined ? [] : [{ layer: 'flags', origin: 'createHands', settings: options.policy }];
  const settings: PolicyOptions = {
    sources: [
      ...readPolicyFiles(files),
      capabilitySource(options.allow ?? []),
      { layer: 'flags', origin: '--readable', settings: { allow: readingRules(readable) } },
      ...given,
    ],
    tools: new Set(registry.list().map(({ name }) => name)),
    home: homedir(),
    roots: [root, ...rootNames.filter((name) => name !== root)],
    // Both names of the folder: commands are judged by the name they use.
    neverWritable: [...new Set([stateFolder, user].flatMap((folder) => [resolvePath(folder), realPath(resolvePath(folder))]))],
  };
  return new PolicyStore(settings, new GrantFile(stateFolder, root));
}
