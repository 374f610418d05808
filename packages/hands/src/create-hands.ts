import type { CallEvent, CallResult } from '@synapse/protocol';
import { describeTools } from './dialects/describe-tools.ts';
import type { Dialect, DialectResult, DialectToolDescription } from './dialects/dialect.ts';
import { findDialect } from './dialects/find-dialect.ts';
import { speak, type Speaking } from './dialects/speak.ts';
import { createUndo, type Undo } from './journal/undo.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { LanguageServers } from './lsp/language-servers.ts';
import { homedir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import type { Approver } from './approval/approver.ts';
import type { Grant } from './pipeline/authorize.ts';
import { explainCall } from './pipeline/explain-call.ts';
import { defaultConfigFolder, readConfiguration } from './policy/configuration-files.ts';
import { decide } from './policy/decide.ts';
import type { Explanation } from './policy/explain.ts';
import { flagSource } from './policy/flag-source.ts';
import type { Grant as SavedGrant } from './policy/grant.ts';
import { LivePolicy } from './policy/live-policy.ts';
import { readPolicyFiles } from './policy/load-policy.ts';
import { policyReport, revokeGrants, type PolicyReport } from './policy/policy-report.ts';
import type { PermissionSettings, PolicyOptions, PolicySource } from './policy/policy.ts';
import type { CallOptions } from './pipeline/call.ts';
import { refuseCall, runCall } from './pipeline/pipeline.ts';
import type { EventListener } from './pipeline/record.ts';
import { childEnvironment } from './process/environment.ts';
import { LocalProcesses } from './process/local-processes.ts';
import { writeTools, type ToolFormat, type ToolFormats, type WriteOptions } from './providers/tool-formats.ts';
import { CommandProcesses, type SandboxChoice } from './sandbox/command-processes.ts';
import { SERVER_LIMITS } from './sandbox/resource-limits.ts';
import type { NetworkPolicy, SandboxPolicy } from './sandbox/sandbox-policy.ts';
import { ToolRegistry } from './registry.ts';
import { Runtime } from './runtime.ts';
import { CallAudit } from './store/audit/call-audit.ts';
import { redactor, secretValues } from './store/audit/redact.ts';
import { GrantFile } from './store/grants/grant-file.ts';
import { Projects } from './store/projects/projects.ts';
import type { AnyTool } from './tool.ts';
import { CANONICAL_TOOLS } from './tools/canonical-tools.ts';
import { isWithin, openRoot, realPath } from './workspace/open-root.ts';
import { ReadableRoots, readingRules } from './workspace/readable-roots.ts';
import { defaultStateFolder } from './workspace/state-folder.ts';

/** How to set up hands. */
export interface HandsOptions {
  /** The one folder that calls may touch. */
  readonly workspace: string;
  /** What is permitted beyond reading. Default: nothing. */
  readonly allow?: Iterable<Grant>;
  /**
   * Folders outside the workspace whose files may be read by absolute path, and nothing more. `['/']` is what
   * some dialects expect; secrets still ask. Default: none.
   */
  readonly readable?: Iterable<string>;
  /** Tools beside the canonical ones. */
  readonly tools?: Iterable<AnyTool>;
  /** Bounds on what one answer may show. Default: 50 KiB and 2,000 lines. */
  readonly limits?: Partial<Limits>;
  /** Variables for every process that calls start, beside the few that are inherited. Tokens are not inherited. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Whether the workspace has to be a tracked project: `require` refuses one that is not on the list, `add` puts it
   * there. Default: neither, since whoever calls names the folder.
   */
  readonly tracked?: 'require' | 'add';
  /** Where locks and stored outputs live; must lie outside the workspace. Default: `$XDG_STATE_HOME/synapse`. */
  readonly stateFolder?: string;
  /** Where the user's configuration is read from. Default: `$XDG_CONFIG_HOME/synapse`. */
  readonly configFolder?: string;
  /** Rules beside those of the configuration files. */
  readonly policy?: PermissionSettings;
  /** Who is asked where the policy asks. Default: nobody, and such calls answer `approval_required`. */
  readonly approver?: Approver;
  /** How commands are confined. Default: `auto`, in a sandbox where one works. Every result tells which it was. */
  readonly sandbox?: SandboxChoice;
  /** What commands in a sandbox may reach. Default: `off`. */
  readonly network?: NetworkPolicy;
}

/** Hands as some other system has them. */
export interface DialectHands {
  readonly name: string;
  /** Its tools, as far as these hands can run them, in the order they are shown to a model. */
  tools(): readonly DialectToolDescription[];
  /** Its tools as a provider or client takes them. */
  tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  /** Runs a tool of the dialect; the pipeline sees the canonical calls it stands for. Never throws and never rejects. */
  call(name: string, input?: unknown, options?: CallOptions): Promise<DialectResult>;
}

/** The runtime that owns a workspace and runs calls. */
export interface Hands extends AsyncDisposable, Undo {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** `handle` where no race can leave the workspace, `checked` where that is best effort. */
  readonly confinement: 'handle' | 'checked';
  /**
   * Runs a tool. Never throws and never rejects: a failure is a result with `ok: false`.
   *
   * @example
   * const result = await hands.call('read_file', { path: 'package.json' });
   * console.log(result.ok ? result.output : result.error.message);
   */
  call<Data = unknown>(name: string, input?: unknown, options?: CallOptions): Promise<CallResult<Data>>;
  /**
   * What the policy would say to a call, and why; nothing is done.
   *
   * @throws SynapseError `unknown_tool` or `invalid_arguments` for what is no call
   */
  explain(name: string, input?: unknown): Promise<Explanation>;
  /** The rules in force and the approvals that are remembered. */
  policy(): PolicyReport;
  /**
   * Takes back remembered approvals, one by its number in `policy().grants` (from 1) or all that hold a rule.
   *
   * @throws SynapseError `unavailable` or `busy` where that cannot be saved
   */
  revoke(which: number | string): readonly SavedGrant[];
  /** The tools in the order they are shown to a model. */
  tools(): readonly AnyTool[];
  /**
   * The tools as a provider or client takes them. The way back is `handleOpenAiChat` and its kin; the
   * tools for the AI SDK run by themselves, and `images: false` is for a provider of it that takes none.
   *
   * @throws SynapseError `invalid_arguments` for an unknown format, with the list
   * @example
   * const message = await anthropic.messages.create({ model, max_tokens, messages, tools: hands.tools('anthropic') });
   */
  tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  /**
   * The tools under the names, in the shapes and with the error strings of another system.
   *
   * @throws SynapseError `invalid_arguments` with the list for a name that is no dialect's
   * @example
   * const { output } = await hands.dialect('synapse').call('run_command', { command: 'npm test' });
   */
  dialect(name: string): DialectHands;
  /** Hears of every call, whoever makes it. Returns a function that ends that. */
  subscribe(listener: EventListener): () => void;
}

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
 * @throws SynapseError `not_found`, `wrong_type` or `denied` for a folder that cannot be a workspace, or is no tracked project
 * @example
 * await using hands = await createHands({ workspace: '.', allow: ['write'] });
 * await hands.call('write_file', { path: 'hello.txt', content: 'Hello\n' });
 */
export async function createHands(options: HandsOptions): Promise<Hands> {
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  if (options.tracked !== undefined) track(options.workspace, stateFolder, options.tracked);
  const { confinement, rootNames } = openRoot(options.workspace, stateFolder);
  const listeners = new Set<EventListener>();
  const audit = new CallAudit(stateFolder, confinement.root, redactor(deniedSecrets(options.environment)));
  const closing = new AbortController();
  const processes = new LocalProcesses(options.environment === undefined ? {} : { environment: options.environment });
  const serverProcesses = new LocalProcesses();
  // By their real names: a link on the way would make them seem to lie elsewhere.
  const ownFolders = [stateFolder, options.configFolder ?? defaultConfigFolder()].map((path) => realPath(resolvePath(path)));
  const readable = new ReadableRoots(options.readable ?? [], ownFolders);
  const registry = new ToolRegistry([...CANONICAL_TOOLS, ...(options.tools ?? [])]);
  const policy = openPolicy(options, { stateFolder, rootNames, root: confinement.root, registry, readable: readable.folders });
  const quarantineFolder = join(stateFolder, 'quarantine');
  const confined: SandboxPolicy = {
    hidden: ownFolders,
    deniesRead: (path) => decide(policy.current, { tool: 'run_command', permissions: [{ action: 'read', resource: path }] }).verdict !== 'allow',
  };
  const commands = new CommandProcesses(options.sandbox ?? 'auto', {
    processes,
    confinement,
    policy: {
      ...confined,
      allowProtected: new Set(options.allow).has('protected'),
      ...(options.network === undefined ? {} : { network: options.network }),
    },
    quarantineFolder,
  });
  const languageServers = new LanguageServers({
    root: confinement.root,
    directory: () => confinement.openDirectory([]),
    isTrusted: () => isTrusted(confinement.root, stateFolder),
    // They change nothing and reach nothing, and there is no need that commands wait for their turn.
    open: (place) =>
      new CommandProcesses(options.sandbox ?? 'auto', {
        processes: serverProcesses,
        confinement,
        policy: {
          ...confined,
          workspace: 'read',
          network: 'off',
          readable: ownFolders.some((own) => isWithin(own, place)) ? [] : [place],
          limits: SERVER_LIMITS,
        },
        quarantineFolder,
      }),
    mayRunUnconfined: (program) =>
      decide(policy.current, { tool: 'run_command', permissions: [{ action: 'exec', resource: program }], confined: false }).verdict === 'allow',
  });
  const runtime = new Runtime({
    registry,
    confinement,
    rootNames,
    authority: { policy, approver: options.approver, closing: closing.signal, isConfined: () => commands.isConfined() },
    commands,
    languageServers,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    processes,
    readable,
    stateFolder,
    audit,
    closing: closing.signal,
    emit: (event) => {
      for (const listener of listeners) notify(listener, event);
    },
  });
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
  const speaking: Speaking = { call, refuse: (...refused) => refuseCall(runtime, ...refused) };
  const journal = createUndo(runtime, stateFolder);
  const hands: Hands = {
    workspace: confinement.root,
    confinement: confinement.tier,
    call: (name, input, callOptions = {}) => call(name, input, callOptions) as Promise<CallResult<never>>,
    undo: (...given) => awaited(journal.undo(...given)),
    planUndo: (...given) => awaited(journal.planUndo(...given)),
    changes: (...given) => awaited(journal.changes(...given)),
    explain: (name, input) => explainCall(runtime, name, input),
    policy: () => policyReport(policy),
    revoke: (which) => revokeGrants(policy, which),
    tools,
    dialect: (name) => dialectHands(findDialect(name), runtime.registry, speaking),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(running);
      await languageServers[Symbol.asyncDispose]();
      await commands[Symbol.asyncDispose]();
      runtime.journal[Symbol.dispose]();
      audit[Symbol.dispose]();
      processes[Symbol.dispose]();
      serverProcesses[Symbol.dispose]();
      readable[Symbol.dispose]();
      confinement[Symbol.dispose]();
    },
  };
  return hands;
}

/** Hands that speak a dialect. */
function dialectHands(dialect: Dialect, registry: ToolRegistry, speaking: Speaking): DialectHands {
  let canonical: readonly AnyTool[] | undefined;
  let described: readonly DialectToolDescription[] = [];
  // The same list as long as the tools are the same: what is worked out for a list is kept with it.
  const describe = (): readonly DialectToolDescription[] => {
    if (canonical !== registry.list()) described = describeTools(dialect, (canonical = registry.list()));
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
  readonly stateFolder: string;
  readonly root: string;
  readonly rootNames: readonly string[];
  readonly registry: ToolRegistry;
  readonly readable: readonly string[];
}

/** Whether a person trusts a project: only a tracked one can be. */
function isTrusted(root: string, stateFolder: string): boolean {
  using projects = Projects.open(stateFolder);
  return projects.get(root)?.trusted === true;
}

/** The rules of all places that say something about this workspace. */
function openPolicy(options: HandsOptions, { stateFolder, root, rootNames, registry, readable }: PolicySurroundings): LivePolicy {
  const user = options.configFolder ?? defaultConfigFolder();
  const files = readPolicyFiles(readConfiguration({ user, project: root }, () => isTrusted(root, stateFolder)));
  const given: PolicySource[] = options.policy === undefined ? [] : [{ layer: 'flags', origin: 'createHands', settings: options.policy }];
  const settings: PolicyOptions = {
    sources: [
      ...files,
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

/** A listener that throws must not break the call it hears of, nor keep the others from hearing. */
function notify(listener: EventListener, event: CallEvent): void {
  try {
    listener(event);
  } catch (error) {
    // A warning reaches whoever wrote the listener without ending the process.
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
