import type { CallResult } from '@synapse/protocol';
import { describeConstraints } from './describe-constraints.ts';
import { describeTools } from './dialects/describe-tools.ts';
import type { Dialect, DialectToolDescription } from './dialects/dialect.ts';
import { findDialect } from './dialects/find-dialect.ts';
import { speak, type Speaking } from './dialects/speak.ts';
import { readGivenServers } from './mcp/config/read-server.ts';
import { readServers, type ServerFolders, type ServerList } from './mcp/config/read-servers.ts';
import { isAsTrusted } from './mcp/pins/pin-project.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import { openMcpServers } from './mcp/mcp-servers.ts';
import { NO_SERVERS } from './mcp/mcp-status.ts';
import { readUndoSettings } from './journal/undo-settings.ts';
import { readLiveCommands } from './policy/live-commands.ts';
import { createUndo } from './journal/undo.ts';
import { jobsFolder } from './jobs/job-record.ts';
import { Jobs } from './jobs/jobs.ts';
import { createPending } from './transaction/pending.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { notify } from './notify.ts';
import { LanguageServers } from './lsp/language-servers.ts';
import { homedir } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { explainCall } from './pipeline/explain-call.ts';
import { defaultConfigFolder, readConfiguration } from './policy/configuration-files.ts';
import { decide } from './policy/decide.ts';
import { deniedWrites, deniesBelow } from './policy/denied-writes.ts';
import { flagSource } from './policy/flag-source.ts';
import { LivePolicy } from './policy/live-policy.ts';
import { readPolicyFiles, type PolicyFile } from './policy/load-policy.ts';
import { policyReport, revokeGrants } from './policy/policy-report.ts';
import type { PolicyOptions, PolicySource } from './policy/policy.ts';
import type { CallOptions } from './pipeline/call.ts';
import { refuseCall, runCall } from './pipeline/pipeline.ts';
import type { EventListener } from './pipeline/record.ts';
import { childEnvironment } from './process/environment.ts';
import { LocalProcesses } from './process/local-processes.ts';
import { writeTools, type ToolFormat, type ToolFormats, type WriteOptions } from './providers/tool-formats.ts';
import { quarantineFolder } from './quarantine/quarantine.ts';
import { CommandProcesses } from './sandbox/command-processes.ts';
import { systemProgram } from './sandbox/find-bubblewrap.ts';
import { domainRule } from './sandbox/network/host-rules.ts';
import { SERVER_LIMITS } from './sandbox/resource-limits.ts';
import type { SandboxPolicy } from './sandbox/sandbox-policy.ts';
import { ToolRegistry } from './registry.ts';
import { Runtime } from './runtime.ts';
import { CallAudit } from './store/audit/call-audit.ts';
import { redactor, secretValues } from './store/audit/redact.ts';
import { GrantFile } from './store/grants/grant-file.ts';
import { Projects } from './store/projects/projects.ts';
import { workspaceId } from './store/workspace-id.ts';
import type { AnyTool } from './tool.ts';
import { CANONICAL_TOOLS } from './tools/canonical-tools.ts';
import { isWithin, openRoot, realPath } from './workspace/open-root.ts';
import { ReadableRoots, readingRules } from './workspace/readable-roots.ts';
import { defaultStateFolder } from './workspace/state-folder.ts';
import { FolderIndex } from './workspace-index/folder-index.ts';
import type { DialectHands, Hands, HandsOptions } from './hands.ts';

/** Secrets in variables that no process of a call gets to see, or that only processes shall; no record may hold them. */
function deniedSecrets(extra: HandsOptions['environment'] = {}): string[] {
  const given = childEnvironment(process.env);
  const denied = Object.entries(process.env).filter(([name]) => !Object.hasOwn(given, name));
  return secretValues({ ...Object.fromEntries(denied), ...extra });
}

function track(workspace: string, stateFolder: string, tracked: 'require' | 'add'): void {
  using projects = Projects.open(stateFolder);
  if (tracked === 'add') projects.add(workspace);
  projects.require(workspace);
}

/**
 * Opens hands on a folder.
 *
 * @throws SynapseError `not_found`, `wrong_type` or `denied` for a folder that cannot be a workspace, or is no tracked project;
 *   `invalid_arguments` for a network of what are no names of hosts
 * @example
 * await using hands = await createHands({ workspace: '.', allow: ['write'] });
 * await hands.call('write_file', { path: 'hello.txt', content: 'Hello\n' });
 */
export async function createHands<Tool extends AnyTool = never>(options: HandsOptions<Tool>): Promise<Hands<Tool>> {
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  // Now, and not with the first command, which may come much later.
  if (typeof options.network === 'object') for (const domain of options.network.domains) domainRule(domain);
  if (options.tracked !== undefined) track(options.workspace, stateFolder, options.tracked);
  const { confinement, rootNames } = openRoot(options.workspace, stateFolder);
  const listeners = new Set<EventListener>();
  const userFolder = options.configFolder ?? defaultConfigFolder();
  const servers = listServers(options, { user: userFolder, project: confinement.root, stateFolder });
  const secrets = [...deniedSecrets(options.environment), ...(servers?.servers.flatMap((server) => server.secrets) ?? [])];
  const redact = redactor(secrets);
  const audit = new CallAudit(stateFolder, confinement.root, redact);
  const closing = new AbortController();
  const processes = new LocalProcesses(options.environment === undefined ? {} : { environment: options.environment });
  const serverProcesses = new LocalProcesses();
  // By their real names: a link on the way would make them seem to lie elsewhere.
  const ownFolders = [stateFolder, userFolder].map((path) => realPath(resolvePath(path)));
  const readable = new ReadableRoots(options.readable ?? [], ownFolders);
  const registry = new ToolRegistry([...CANONICAL_TOOLS, ...(options.tools ?? [])]);
  const files = readConfiguration(
    { user: userFolder, project: confinement.root },
    (text) => isTrusted(confinement.root, stateFolder) && isAsTrusted(stateFolder, confinement.root, text),
  );
  const policy = openPolicy(options, { files, stateFolder, rootNames, root: confinement.root, registry, readable: readable.folders });
  const sandbox = options.sandbox ?? 'auto';
  const kept = quarantineFolder(stateFolder, confinement.root);
  const confined: SandboxPolicy = {
    hidden: ownFolders,
    // Like those that deny writing, these rules do not change while hands are open.
    mayDenyBelow: deniesBelow(policy.current),
    deniesRead: (path) => decide(policy.current, { tool: 'run_command', permissions: [{ action: 'read', resource: path }] }).verdict !== 'allow',
  };
  const folders = new FolderIndex(confinement);
  const commands = new CommandProcesses(sandbox, {
    processes,
    confinement,
    folders,
    policy: {
      ...confined,
      // Rules that deny do not change while hands are open.
      deniesWrite: deniedWrites(policy.current),
      allowProtected: new Set(options.allow).has('protected'),
      ...(options.network === undefined ? {} : { network: options.network }),
    },
    quarantineFolder: kept,
  });
  const languageServers = new LanguageServers({
    root: confinement.root,
    folders,
    directory: () => confinement.openDirectory([]),
    isTrusted: () => isTrusted(confinement.root, stateFolder),
    // They change nothing and reach nothing, and there is no need that commands wait for their turn.
    open: (place) =>
      new CommandProcesses(options.sandbox ?? 'auto', {
        processes: serverProcesses,
        confinement,
        folders,
        policy: {
          ...confined,
          workspace: 'read',
          network: 'off',
          readable: ownFolders.some((own) => isWithin(own, place)) ? [] : [place],
          limits: SERVER_LIMITS,
        },
        quarantineFolder: kept,
      }),
    mayRunUnconfined: (program) =>
      decide(policy.current, { tool: 'run_command', permissions: [{ action: 'exec', resource: program }], confined: false }).verdict === 'allow',
  });
  const emit: EventListener = (event) => {
    for (const listener of listeners) notify(listener, event);
  };
  const jobs = new Jobs({ folder: jobsFolder(stateFolder, workspaceId(confinement.root)), redact, emit });
  const undoCommands = options.undoCommands ?? readUndoSettings(files).commands ?? true;
  const runtime = new Runtime({
    registry,
    confinement,
    folders,
    rootNames,
    authority: {
      policy,
      approver: options.approver,
      closing: closing.signal,
      ground: async () => ({ sandbox: await commands.state(), transacts: await runtime.transacts(), network: (options.network ?? 'off') !== 'off' }),
      runsLive: readLiveCommands(files),
    },
    commands,
    sandbox,
    undoCommands,
    languageServers,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    processes,
    readable,
    stateFolder,
    audit,
    tracing: { ...options.tracing, redact },
    closing: closing.signal,
    emit,
    jobs,
  });
  const mcp =
    servers === undefined
      ? NO_SERVERS
      : openMcpServers({ options: mcpOptions(options) ?? {}, list: servers, registry, stateFolder, root: confinement.root });
  const running = new Set<Promise<unknown>>();
  function tools(): readonly AnyTool[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options: WriteOptions = {}): readonly AnyTool[] | ToolFormats[ToolFormat] {
    return format === undefined ? runtime.registry.list() : writeTools(runtime.registry.describe(), hands, format, options);
  }
  const awaited = <T>(result: Promise<T>): Promise<T> => {
    running.add(result);
    // Whoever called hears of a failure; here it only ends the waiting.
    void result.catch(() => {}).finally(() => running.delete(result));
    return result;
  };
  const call = (name: string, input: unknown, given: CallOptions): Promise<CallResult> => awaited(runCall(runtime, name, input, given));
  const speaking: Speaking = {
    call: (name, input, given) => call(name, input, { ...given, foreground: true }),
    refuse: (...refused) => refuseCall(runtime, ...refused),
  };
  const journal = createUndo(runtime, stateFolder);
  const pending = createPending(runtime);
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.allSettled(running);
    await jobs[Symbol.asyncDispose]();
    await mcp[Symbol.asyncDispose]();
    await languageServers[Symbol.asyncDispose]();
    await commands[Symbol.asyncDispose]();
    folders[Symbol.dispose]();
    runtime.journal[Symbol.dispose]();
    audit[Symbol.dispose]();
    processes[Symbol.dispose]();
    serverProcesses[Symbol.dispose]();
    readable[Symbol.dispose]();
    confinement[Symbol.dispose]();
  };
  const hands: Hands<Tool> = {
    workspace: confinement.root,
    confinement: confinement.tier,
    call: (name: string, input?: unknown, callOptions: CallOptions = {}) => call(name, input, callOptions) as Promise<CallResult<never>>,
    undo: (...given) => awaited(journal.undo(...given)),
    planUndo: (...given) => awaited(journal.planUndo(...given)),
    changes: (...given) => awaited(journal.changes(...given)),
    ...pending,
    applyPending: (...given) => awaited(pending.applyPending(...given)),
    explain: (name, input) => explainCall(runtime, name, input),
    constraints: ({ canAsk = options.approver !== undefined } = {}) =>
      describeConstraints({
        mode: policyReport(policy).mode,
        canAsk,
        network: options.network ?? 'off',
        sandbox: sandbox === 'none' ? 'given up' : systemProgram('bwrap') === undefined ? 'missing' : 'works',
        copies: undoCommands,
      }),
    policy: () => policyReport(policy),
    revoke: (which) => revokeGrants(policy, which),
    tools,
    dialect: (name) => dialectHands(findDialect(name), runtime.registry, speaking),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    mcp,
    endSession: (sessionId) => jobs.endSession(sessionId),
    onToolsChanged: (listener) => registry.subscribe(listener),
    // Once: what is closed a second time may by then be something else that has got the same descriptor.
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
  return hands;
}

/** Hands that speak a dialect. */
function dialectHands(dialect: Dialect, registry: ToolRegistry, speaking: Speaking): DialectHands {
  let canonical: readonly AnyTool[] | undefined;
  let described: readonly DialectToolDescription[] = [];
  // The same list as long as the tools are the same: what is worked out for a list is kept with it.
  const describe = (): readonly DialectToolDescription[] => {
    if (canonical !== registry.all()) described = describeTools(dialect, (canonical = registry.all()));
    return described;
  };
  function tools(): readonly DialectToolDescription[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options: WriteOptions = {}): readonly DialectToolDescription[] | ToolFormats[ToolFormat] {
    return format === undefined ? describe() : writeTools(describe(), hands, format, options);
  }
  const hands: DialectHands = {
    name: dialect.name,
    tools,
    call: (tool, input, callOptions = {}) => speak(speaking, dialect, tool, input, callOptions),
  };
  return hands;
}

interface PolicySurroundings {
  readonly files: readonly PolicyFile[];
  readonly stateFolder: string;
  readonly root: string;
  readonly rootNames: readonly string[];
  readonly registry: ToolRegistry;
  readonly readable: readonly string[];
}

function mcpOptions({ mcp }: HandsOptions): McpOptions | undefined {
  return mcp === true ? {} : mcp === false ? undefined : mcp;
}

/** The MCP servers that these hands may use; undefined where they use none. */
function listServers(options: HandsOptions, { stateFolder, ...folders }: ServerFolders & { readonly stateFolder: string }): ServerList | undefined {
  const mcp = mcpOptions(options);
  if (mcp === undefined) return undefined;
  const variables = { environment: process.env, workspace: folders.project, home: homedir() };
  const given = readGivenServers(mcp.servers ?? {}, variables);
  if (mcp.files === false) return { servers: given, trusted: isTrusted(folders.project, stateFolder), problems: [], searchAbove: undefined };
  return readServers(folders, given, isTrusted(folders.project, stateFolder), variables);
}

/** Whether a person trusts a project: only a tracked one can be. */
function isTrusted(root: string, stateFolder: string): boolean {
  using projects = Projects.open(stateFolder);
  return projects.get(root)?.trusted === true;
}

/** The rules of all places that say something about this workspace. */
function openPolicy(options: HandsOptions, { files, stateFolder, root, rootNames, registry, readable }: PolicySurroundings): LivePolicy {
  const user = options.configFolder ?? defaultConfigFolder();
  const given: PolicySource[] = options.policy === undefined ? [] : [{ layer: 'flags', origin: 'createHands', settings: options.policy }];
  const settings: PolicyOptions = {
    sources: [
      ...readPolicyFiles(files),
      flagSource(options.allow ?? []),
      { layer: 'flags', origin: '--readable', settings: { allow: readingRules(readable) } },
      ...given,
    ],
    tools: new Set(registry.list().map(({ name }) => name)),
    home: homedir(),
    roots: [root, ...rootNames.filter((name) => name !== root)],
    // By both names: commands are judged by the one they use.
    neverWritable: [...new Set([stateFolder, user].flatMap((folder) => [resolvePath(folder), realPath(resolvePath(folder))]))],
  };
  return new LivePolicy(settings, new GrantFile(stateFolder, root));
}
