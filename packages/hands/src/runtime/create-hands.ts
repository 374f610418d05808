import { USUAL_SHELL } from '../process/command-shell.ts';
import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import type { CallResult } from '@synapse/protocol';
import { CallAudit } from '../audit/call-audit.ts';
import { learningRedactor, secretValues } from '../audit/redact.ts';
import { OutputTeller } from '../approval/window/output-teller.ts';
import type { CallOptions } from '../call/call.ts';
import { findDialect } from '../dialects/find-dialect.ts';
import type { DialectRunner } from '../dialects/run-dialect-call.ts';
import { notify } from '../events/notify.ts';
import { isFolderOfRepository } from '../git/repository-above.ts';
import { jobsFolder } from '../jobs/job-record.ts';
import { NO_SERVERS } from '../mcp-client/mcp-status.ts';
import type { Authorizer } from '../pipeline/check-permissions.ts';
import { explainCall, refuseCall, runCall } from '../pipeline/pipeline.ts';
import type { EventListener } from '../pipeline/record.ts';
import { defaultConfigFolder, readConfiguration } from '../policy/configuration-files.ts';
import { hasInstalled } from '../policy/exec-effects.ts';
import { readLiveCommands } from '../policy/live-commands.ts';
import { policyReport, revokeGrants } from '../policy/policy-report.ts';
import { childEnvironment } from '../process/environment.ts';
import { assertNotLost, countsHere, track } from '../projects/trust.ts';
import { writeTools, type ToolFormat, type ToolFormats, type WriteOptions } from '../providers/tool-formats.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import { domainRule } from '../sandbox/network/host-rules.ts';
import { defaultStateFolder, workspaceId } from '../state/state-folder.ts';
import type { AnyTool } from '../tool/tool.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { homeOfWorktree } from '../sandbox/view/outside-repository.ts';
import { openRoot, realPath } from '../workspace/open-root.ts';
import { ReadableRoots } from '../workspace/readable-roots.ts';
import { CommandPowers } from './command-powers.ts';
import { describeConstraints } from './describe-constraints.ts';
import { dialectHands } from './dialect-hands.ts';
import type { Hands } from './hands.ts';
import type { HandsOptions } from './hands-options.ts';
import { listServers, mcpOptions } from './list-servers.ts';
import { openPolicy } from './open-policy.ts';
import { openPowers } from './open-powers.ts';
import { createPending } from './pending.ts';
import { ToolRegistry } from './registry.ts';
import { createRuntime } from './runtime.ts';
import { createUndo } from './undo.ts';
import { readCacheBudgets } from './cache-settings.ts';
import { readUndoSettings } from './undo-settings.ts';

/** Secrets in environment variables, which no record may contain. */
function deniedSecrets(extra: HandsOptions['environment'] = {}): string[] {
  const given = childEnvironment(process.env);
  const denied = Object.entries(process.env).filter(([name]) => !Object.hasOwn(given, name));
  return secretValues({ ...Object.fromEntries(denied), ...extra });
}

/** Opens hands on a folder. The library's entry loads this file at the first call. */
export async function createHands<Tool extends AnyTool = never>(options: HandsOptions<Tool>): Promise<Hands<Tool>> {
  // Validated now, not at the first command, which may be much later.
  if (typeof options.network === 'object') for (const domain of options.network.domains) domainRule(domain);
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const userFolder = options.configFolder ?? defaultConfigFolder();
  if (!existsSync(options.workspace)) assertNotLost(options.workspace, stateFolder);
  if (options.tracked !== undefined) track(options.workspace, stateFolder, options.tracked);
  // Closes what was opened if anything below throws.
  await using stack = new AsyncDisposableStack();
  const closing = new AbortController();
  const { confinement, rootNames } = openRoot(options.workspace, stateFolder);
  stack.use(confinement);
  const { root } = confinement;
  // Real paths: a path through a link would seem to be elsewhere.
  const ownFolders = [stateFolder, userFolder].map((path) => realPath(resolvePath(path)));
  const readable = stack.use(new ReadableRoots(options.readable ?? [], ownFolders));
  const servers = listServers(options, { user: userFolder, project: root, stateFolder });
  const { redact, learn } = learningRedactor([
    ...deniedSecrets(options.environment),
    ...(servers?.servers.flatMap((server) => server.secrets) ?? []),
  ]);
  const registry = new ToolRegistry([...CANONICAL_TOOLS, ...(options.tools ?? [])]);
  const files = readConfiguration({ user: userFolder, project: root }, (text) => countsHere(root, stateFolder, text));
  const policy = openPolicy(options, { files, stateFolder, rootNames, root, registry, readable: readable.folders });
  const sandbox = options.sandbox ?? 'auto';
  const listeners = new Set<EventListener>();
  const emit: EventListener = (event) => {
    for (const listener of listeners) notify(listener, event);
  };
  const audit = stack.use(new CallAudit(stateFolder, root, redact));
  const budgets = readCacheBudgets(files);
  const powers = openPowers(stack, {
    options,
    budgets,
    confinement,
    rootNames,
    readable,
    policy,
    sandbox,
    stateFolder,
    userFolder,
    ownFolders,
    closing: closing.signal,
    redact,
    emit,
  });
  const undoCommands = options.undoCommands ?? readUndoSettings(files).commands ?? true;
  const authorizer: Authorizer = {
    policy,
    approver: options.approver,
    closing: closing.signal,
    ground: async (signal) => ({
      sandbox: await powers.commands.get().state(signal),
      ...(await commands.ground()),
      network: (options.network ?? 'off') !== 'off',
      bash: USUAL_SHELL === 'bash',
      hasInstalled: (name, folder) => hasInstalled(root, folder, name),
    }),
    runsLive: readLiveCommands(files),
  };
  const commands = new CommandPowers({
    powers,
    confinement,
    rootNames,
    authorizer,
    stateFolder,
    redact,
    undoCommands,
    budgets,
    closing: closing.signal,
  });
  const runtime = createRuntime({
    registry,
    confinement,
    rootNames,
    authorizer,
    limits: options.limits ?? {},
    powers,
    commands,
    readable,
    buffers: options.buffers,
    closing: closing.signal,
    emit,
    isObserved: () => listeners.size > 0,
    audit,
    tracing: { ...options.tracing, redact },
  });
  const mcp =
    servers === undefined || servers.servers.length === 0
      ? { ...NO_SERVERS, problems: servers?.problems ?? [] }
      : // The client of MCP servers is a tenth of the library, and most hands have none.
        (await import('../mcp-client/mcp-servers.ts')).openMcpServers({
          options: mcpOptions(options) ?? {},
          list: servers,
          registry,
          stateFolder,
          configFolder: userFolder,
          root,
          onSecrets: learn,
        });
  stack.use(mcp);
  // Ends leftover jobs of killed processes now, not at the first command.
  if (existsSync(jobsFolder(stateFolder, workspaceId(root)))) powers.jobs.get();
  const running = new Set<Promise<unknown>>();
  stack.defer(async () => {
    closing.abort();
    await Promise.allSettled(running);
  });
  const awaited = <T>(result: Promise<T>): Promise<T> => {
    running.add(result);
    // The caller handles the error; here it only ends the wait.
    void result.catch(() => {}).finally(() => running.delete(result));
    return result;
  };
  function tools(): readonly AnyTool[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options: WriteOptions = {}): readonly AnyTool[] | ToolFormats[ToolFormat] {
    return format === undefined ? registry.list() : writeTools(registry.describe(), hands, format, options);
  }
  const outputs = new OutputTeller(stateFolder, root);
  stack.use(outputs);
  const call = (name: string, input: unknown, given: CallOptions): Promise<CallResult> =>
    awaited(
      runCall(runtime, name, input, given).then((result) => {
        outputs.tell(result);
        return result;
      }),
    );
  const dialectRunner: DialectRunner = {
    call,
    refuse: (...refused) => refuseCall(runtime, ...refused),
  };
  const undo = createUndo(runtime, stateFolder);
  const pending = createPending(runtime);
  let closed: Promise<void> | undefined;
  const hands: Hands<Tool> = {
    workspace: confinement.root,
    confinement: confinement.tier,
    call: (name: string, input?: unknown, callOptions: CallOptions = {}) => call(name, input, callOptions) as Promise<CallResult<never>>,
    undo: (...given) => awaited(undo.undo(...given)),
    planUndo: (...given) => awaited(undo.planUndo(...given)),
    changes: (...given) => awaited(undo.changes(...given)),
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
        inRepository: isFolderOfRepository(root),
        worktreeOf: undoCommands && powers.linked !== undefined ? undefined : homeOfWorktree(root),
      }),
    policy: () => policyReport(policy),
    limitMode: (mode) => policy.limitMode(mode),
    revoke: (which) => revokeGrants(policy, which),
    tools,
    dialect: (name) => dialectHands(findDialect(name), registry, dialectRunner),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    mcp,
    // Errors surface again in the first call that needs the folders.
    warmUp() {
      // Servers call this in the background, possibly after their client disconnected.
      if (closing.signal.aborted) return;
      const reading = powers.folders.get().refresh();
      void reading.catch(() => {});
    },
    sweepHandedOver: async () => await powers.commands.get().sweepHandedOver(),
    endSession: async (sessionId) => await powers.jobs.made?.endSession(sessionId),
    onToolsChanged: (listener) => registry.subscribe(listener),
    // Only once: a second close could hit a reused descriptor.
    [Symbol.asyncDispose]: () => (closed ??= owned.disposeAsync()),
  };
  const owned = stack.move();
  return hands;
}
