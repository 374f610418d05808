import type { CallResult } from '@synapse/protocol';
import type { DialectResult, DialectToolDescription } from './dialects/dialect.ts';
import type { McpOptions } from './mcp/mcp-options.ts';
import type { McpServers } from './mcp/mcp-status.ts';
import type { Undo } from './journal/undo.ts';
import type { Pending } from './transaction/pending.ts';
import type { Limits } from './limits.ts';
import type { Approver } from './approval/approver.ts';
import type { Grant } from './pipeline/grants.ts';
import type { Explanation } from './policy/explain.ts';
import type { Grant as SavedGrant } from './policy/grant.ts';
import type { PolicyReport } from './policy/policy-report.ts';
import type { PermissionSettings } from './policy/policy.ts';
import type { CallOptions } from './pipeline/call.ts';
import type { EventListener } from './pipeline/record.ts';
import type { ToolFormat, ToolFormats, WriteOptions } from './providers/tool-formats.ts';
import type { SandboxChoice } from './sandbox/command-processes.ts';
import type { NetworkPolicy } from './sandbox/sandbox-policy.ts';
import type { AnyTool } from './tool.ts';
import type { CallArguments, CallData, CallName } from './typed-call.ts';
import type { TracingOptions } from './tracing/traced-call.ts';

/** How to set up hands. */
export interface HandsOptions<Tool extends AnyTool = AnyTool> {
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
  readonly tools?: Iterable<Tool>;
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
  /** How commands, and git, are confined. Default: `auto`, in a sandbox where one works. Every result tells which it was. */
  readonly sandbox?: SandboxChoice;
  /**
   * Whether a foreground command runs on a copy-on-write view of the workspace. What it changed is judged, applied as one
   * change when it ends, and can be undone. Where no view can be made it writes directly, and `meta.undo` says so. Set to
   * false, every command writes directly. Default: `"undo": { "commands": … }` of the user's configuration, else true.
   */
  readonly undoCommands?: boolean;
  /** What commands in a sandbox may reach. Default: `off`. */
  readonly network?: NetworkPolicy;
  /** What OpenTelemetry spans hold, where the application has registered its SDK. Default: no arguments and no results. */
  readonly tracing?: TracingOptions;
  /**
   * MCP servers whose tools these hands have, as `mcp:<server>:<tool>`: `true` for those that configuration files
   * name, or more about it. Each call of them asks, unless a rule such as `mcp:github:*` says otherwise. Default: none.
   *
   * @example
   * await using hands = await createHands({ workspace: '.', mcp: { servers: { memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } } } });
   */
  readonly mcp?: boolean | McpOptions;
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

/**
 * The runtime that owns a workspace and runs calls. To dispose it cancels what runs, and settles once all of that has
 * ended; a tool of yours that ignores its signal is waited for some seconds. Calls after that answer `unavailable`.
 */
export interface Hands<Tool extends AnyTool = never> extends AsyncDisposable, Undo, Pending {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** `handle` where no race can leave the workspace, `checked` where that is best effort. */
  readonly confinement: 'handle' | 'checked';
  /**
   * Runs a tool. Never throws and never rejects: a failure is a result with `ok: false`.
   *
   * The input and the `data` have the types of the tool. A name that is a `string`, or that of a tool of an MCP server, takes
   * any input, and its `data` is `unknown`.
   *
   * @example
   * const result = await hands.call('read_file', { path: 'package.json' });
   * console.log(result.ok ? result.output : result.error.message);
   */
  call<const Name extends string>(name: CallName<Tool, Name>, ...rest: CallArguments<Tool, Name>): Promise<CallResult<CallData<Tool, Name>>>;
  /**
   * What the policy would say to a call, and why; nothing is done.
   *
   * @throws SynapseError `unknown_tool` or `invalid_arguments` for what is no call
   */
  explain(name: string, input?: unknown): Promise<Explanation>;
  /**
   * What holds for calls, one sentence each: for a system prompt.
   *
   * @param options `canAsk`: whether calls bring an approver of their own. Default: whether these hands have one.
   * @example
   * const system = `You fix bugs.\n${hands.constraints().join('\n')}`;
   */
  constraints(options?: { readonly canAsk?: boolean }): readonly string[];
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
  /** Ends the jobs of a session, but for those that a person has detached from it, and settles when they are gone. */
  endSession(sessionId: string): Promise<void>;
  /** The MCP servers that these hands use; none where they were opened without. */
  readonly mcp: McpServers;
  /** Hears whenever `tools()` has changed, as when an MCP server comes or changes its list. Returns a function that ends that. */
  onToolsChanged(listener: () => void): () => void;
}
