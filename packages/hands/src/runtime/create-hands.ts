import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { CallResult } from '@synapse/protocol';
import type { CallOptions } from '../call/call.ts';
import { findDialect } from '../dialects/find-dialect.ts';
import { runDialectCall, type DialectRunner } from '../dialects/run-dialect-call.ts';
import { explainCall, refuseCall, runCall } from '../pipeline/pipeline.ts';
import { writeTools, type ToolFormat, type ToolFormats, type WriteOptions } from '../providers/tool-formats.ts';
import { dialectHands } from './dialect-hands.ts';
import { policyMethods } from './policy-methods.ts';
import { createBranches } from './branches.ts';
import { createPending } from './pending.ts';
import { createUndo } from './undo.ts';
import { CallAudit } from '../audit/call-audit.ts';
import { OutputRelay } from '../approval/window/output-relay.ts';
import { notify } from '../events/notify.ts';
import { jobsFolder } from '../jobs/job-record.ts';
import { NO_SERVERS, type McpServers } from '../mcp-client/mcp-status.ts';
import { assertOpen, type Authorizer } from '../pipeline/check-permissions.ts';
import type { EventListener } from '../pipeline/record.ts';
import { hasInstalled } from '../policy/has-installed.ts';
import { readLiveCommands } from '../policy/live-commands.ts';
import { programThreads } from '../program/program-threads.ts';
import { USUAL_SHELL } from '../process/command-shell.ts';
import { keychain } from '../state/keychain.ts';
import { workspaceId } from '../state/state-folder.ts';
import { KeptTexts } from '../tree/kept-texts.ts';
import type { AnyTool } from '../tool/tool.ts';
import { assertOptions, assertTools } from './assert-options.ts';
import { readBudgets } from './budget-settings.ts';
import { CommandPowers } from './command-powers.ts';
import type { Branch, BranchOptions, Hands } from './hands.ts';
import type { OpenBranch, OwnerOfBranch } from './open-branch.ts';
import type { HandsOptions } from './hands-options.ts';
import { mcpOptions, configure, openPlace, type Configuration, type Place } from './open-place.ts';
import { openPowers } from './open-powers.ts';
import { programCalls } from './program-calls.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { maskOf, questionsWithout, secretsOf, showingWithout } from './shown-without-secrets.ts';
import { readReceiptSettings } from './receipt-settings.ts';
import { readUndoSettings } from './undo-settings.ts';

/** Opens hands on a folder. The library's entry loads this file at the first call. */
export async function createHands<Tool extends AnyTool = never>(given: HandsOptions<Tool>): Promise<Hands<Tool>> {
  assertOptions(given);
  // Branches need them again, and an iterable may have them once.
  const options = { ...given, allow: [...(given.allow ?? [])], readable: [...(given.readable ?? [])], tools: [...(given.tools ?? [])] };
  assertTools(options.tools);
  // Closes what was opened if anything below throws.
  await using stack = new AsyncDisposableStack();
  const closing = new AbortController();
  const place = openPlace(options, stack);
  const configuration = configure(options, place, () => hands);
  const listeners = new Listeners();
  const program: Runtime['program'] = (call, workspace) =>
    programCalls({ runtime, stateFolder: place.ownFolders[0] ?? place.stateFolder, hands }, call, workspace);
  const runtime = openRuntime(stack, { options, place, configuration, listeners, closing: closing.signal, program });
  const mcp = stack.use(await openMcp(options, place, configuration));
  // Ends leftover jobs of killed processes now, not at the first command.
  const { stateFolder, confinement } = place;
  if (existsSync(jobsFolder(stateFolder, workspaceId(confinement.root)))) runtime.powers.jobs.get();
  const running = new RunningCalls();
  const readyPrograms = stack.use(new ReadyPrograms());
  stack.defer(async () => {
    closing.abort();
    await running.settled();
  });
  const outputs = stack.use(new OutputRelay(stateFolder, confinement.root));
  const calls = callMethods({ runtime, stateFolder, running, outputs });
  const branches = stack.use(new OpenBranches());
  let closed: Promise<void> | undefined;
  const hands: Hands<Tool> = {
    workspace: confinement.root,
    confinement: confinement.tier,
    ...calls.methods,
    ...policyMethods(options, runtime, branches.onMode),
    branch: async (name, branchOptions = {}) => await branches.open({ options, place, runtime, hands }, name, branchOptions),
    ...toolMethods(runtime, calls.runner, () => hands),
    receipts: async () => {
      const { Receipts } = await import('../receipt/receipts.ts');
      using receipts = new Receipts(confinement.root, stateFolder);
      return await receipts.newest();
    },
    subscribe: (listener) => listeners.add(listener),
    mcp,
    // Errors surface again in the first call that needs the folders.
    warmUp({ programs = false } = {}) {
      // Servers call this in the background, possibly after their client disconnected.
      if (closing.signal.aborted) return;
      const reading = runtime.powers.folders.get().refresh();
      void reading.catch(() => {});
      if (programs) void readyPrograms.keep();
    },
    sweepHandedOver: async () => await runtime.powers.commands.get().sweepHandedOver(),
    endSession: async (sessionId) => (await runtime.powers.jobs.made?.endSession(sessionId)) ?? 0,
    // Only once: a second close could hit a reused descriptor.
    [Symbol.asyncDispose]: () => (closed ??= owned.disposeAsync()),
  };
  const owned = stack.move();
  return hands;
}

interface Opening {
  readonly options: HandsOptions;
  readonly place: Place;
  readonly configuration: Configuration;
  readonly listeners: Listeners;
  /** Aborted when the hands close. */
  readonly closing: AbortSignal;
  readonly program: Runtime['program'];
}

/** Opens the services that calls run on. */
function openRuntime(stack: AsyncDisposableStack, { options, place, configuration, listeners, closing, program }: Opening): Runtime {
  const { confinement, rootNames, readable, stateFolder } = place;
  const { registry, files, policy } = configuration;
  const { redact, learn: onSecrets } = configuration.secrets;
  const secrets = secretsOf(stateFolder, { openKeychain: () => keychain({ signal: closing }) });
  const hasSecrets = (): boolean => existsSync(secrets.file);
  // Here, as each call asks.
  const secretMask = () => (hasSecrets() ? maskOf(secrets, onSecrets) : undefined);
  const audit = stack.use(new CallAudit(stateFolder, confinement.root, redact));
  const texts = stack.use(new KeptTexts(stateFolder, confinement));
  const shared = { ...place, policy, budgets: readBudgets(files), closing, redact, onSecrets, secrets, hasSecrets, emit: listeners.emit };
  const powers = openPowers(stack, { ...shared, options, sandbox: options.sandbox ?? 'auto' });
  const undoCommands = options.undoCommands ?? readUndoSettings(files).commands ?? true;
  const authorizer: Authorizer = {
    policy,
    approver: options.approver,
    shown: questionsWithout(secretMask),
    closing,
    machine: async (signal) => ({
      sandbox: await powers.commands.get().state(signal),
      ...(await commands.machine(signal)),
      network: (options.network ?? 'off') !== 'off',
      filtered: options.network !== 'on',
      bash: USUAL_SHELL === 'bash',
      hasInstalled: (name, folder) => hasInstalled(confinement.root, folder, name),
    }),
    runsLive: readLiveCommands(files),
  };
  const commands = new CommandPowers({ ...shared, audit, powers, authorizer, undoCommands });
  return createRuntime({
    registry,
    confinement,
    rootNames,
    authorizer,
    limits: options.limits ?? {},
    powers,
    commands,
    readable,
    buffers: options.buffers,
    closing,
    emit: listeners.emit,
    isObserved: () => listeners.exist,
    editDiagnostics: options.editDiagnostics ?? true,
    audit,
    secretMask,
    keepTexts: texts.keep,
    notesCommits: readReceiptSettings(files).notes,
    stateFolder,
    program,
    tracing: { ...options.tracing, redact },
  });
}

/** Connects the MCP servers. Their client is a tenth of the library, and most hands have none. */
async function openMcp(options: HandsOptions, place: Place, { servers, registry, secrets }: Configuration): Promise<McpServers & AsyncDisposable> {
  if (servers === undefined || servers.servers.length === 0) return { ...NO_SERVERS, problems: servers?.problems ?? [] };
  const { openMcpServers } = await import('../mcp-client/mcp-servers.ts');
  const { stateFolder, userFolder, confinement } = place;
  return openMcpServers({
    options: mcpOptions(options) ?? {},
    list: servers,
    registry,
    stateFolder,
    configFolder: userFolder,
    root: confinement.root,
    onSecrets: secrets.learn,
  });
}

/** Keeps an interpreter ready for the next program. */
class ReadyPrograms implements Disposable {
  #held: Disposable | undefined;
  #isClosed = false;

  async keep(): Promise<void> {
    // Not at once: a server answers before.
    await setImmediate();
    if (!this.#isClosed) this.#held ??= programThreads.hold();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#held?.[Symbol.dispose]();
  }
}

/** The calls that still run. A close waits for them. */
class RunningCalls {
  readonly #running = new Set<Promise<unknown>>();

  add<T>(result: Promise<T>): Promise<T> {
    this.#running.add(result);
    // The caller handles the error; here it only ends the wait.
    void result.catch(() => {}).finally(() => this.#running.delete(result));
    return result;
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

interface CallParts {
  readonly runtime: Runtime;
  readonly stateFolder: string;
  readonly running: RunningCalls;
  readonly outputs: OutputRelay;
}

/** The methods that run, undo and apply, each of which a close waits for. */
function callMethods({ runtime, stateFolder, running, outputs }: CallParts) {
  const undo = createUndo(runtime, stateFolder);
  const pending = createPending(runtime);
  const branches = createBranches(runtime, stateFolder);
  const shown = showingWithout(runtime.secretMask, { ...undo, ...pending, ...branches });
  const call = (name: string, input: unknown, given: CallOptions): Promise<CallResult> =>
    running.add(
      runCall(runtime, name, input, given).then((result) => {
        outputs.tell(result);
        return result;
      }),
    );
  const runner: DialectRunner = { call, refuse: (...refused) => refuseCall(runtime, ...refused) };
  const methods: Pick<Hands, 'call' | 'undo' | 'planUndo' | 'changes' | 'explain' | keyof typeof pending | keyof typeof branches> = {
    call: (name: string, input?: unknown, callOptions: CallOptions = {}) => call(name, input, callOptions) as Promise<CallResult<never>>,
    undo: (...given) => running.add(undo.undo(...given)),
    planUndo: (...given) => running.add(undo.planUndo(...given)),
    ...pending,
    applyPending: (...given) => running.add(pending.applyPending(...given)),
    ...branches,
    ...shown,
    changes: (...given) => running.add(shown.changes(...given)),
    applyBranch: (...given) => running.add(branches.applyBranch(...given)),
    explain: (name, input) => explainCall(runtime, name, input),
  };
  return { methods, runner };
}

/** The methods that describe the tools. */
function toolMethods({ registry }: Runtime, runner: DialectRunner, hands: () => Hands): Pick<Hands, 'tools' | 'dialect' | 'onToolsChanged'> {
  function tools(): readonly AnyTool[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options: WriteOptions = {}): readonly AnyTool[] | ToolFormats[ToolFormat] {
    return format === undefined ? registry.list() : writeTools(registry.describe(), hands(), format, options);
  }
  return {
    tools,
    dialect(name) {
      const dialect = findDialect(name);
      return dialectHands(dialect, registry, (tool, input, options = {}) => runDialectCall(runner, dialect, tool, input, options));
    },
    onToolsChanged: (listener) => registry.subscribe(listener),
  };
}

/** The open branches. They are closed before the hands that opened them. */
class OpenBranches implements AsyncDisposable {
  readonly #all = new Set<OpenBranch>();

  readonly onMode = (): void => {
    for (const one of this.#all) one.onMode();
  };

  async open(owner: OwnerOfBranch, name: string, options: BranchOptions): Promise<Branch> {
    assertOpen(owner.runtime.closing);
    // Few programs have branches.
    const { openBranch } = await import('./open-branch.ts');
    const opened = await openBranch(owner, name, options);
    this.#all.add(opened);
    opened.onClosed(() => void this.#all.delete(opened));
    return opened.branch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#all, (one) => one[Symbol.asyncDispose]()));
  }
}

/** The listeners to the events of calls. */
class Listeners {
  readonly #all = new Set<EventListener>();

  get exist(): boolean {
    return this.#all.size > 0;
  }

  readonly emit: EventListener = (event) => {
    for (const listener of this.#all) notify(listener, event);
  };

  add(listener: EventListener): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }
}
