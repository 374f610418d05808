import type { McpOptions } from '../mcp-client/mcp-options.ts';
import type { Limits } from '../output/limits.ts';
import type { Approver } from '../approval/approver.ts';
import type { Capability } from '../policy/capabilities.ts';
import type { PermissionSettings } from '../policy/policy.ts';
import type { SandboxChoice } from '../sandbox/sandbox-choices.ts';
import type { NetworkPolicy } from '../sandbox/sandbox-policy.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { TracingOptions } from '../tracing/traced-call.ts';
import type { FileBuffers } from '../workspace/file-buffers.ts';

/** Options of {@link createHands}. */
export interface HandsOptions<Tool extends AnyTool = AnyTool> {
  /** The folder that calls may access. */
  readonly workspace: string;
  /** Capabilities beyond reading. Default: none. */
  readonly allow?: Iterable<Capability>;
  /**
   * Folders outside the workspace whose files may be read, but not changed, by absolute path. Some dialects expect
   * `['/']`; secrets still ask. Default: none.
   */
  readonly readable?: Iterable<string>;
  /** Additional tools. */
  readonly tools?: Iterable<Tool>;
  /** Limits of an answer. Default: 40,000 bytes and 2,000 lines; 8,192 bytes for a command. */
  readonly limits?: Partial<Limits>;
  /** Additional variables for child processes. Only a few variables are inherited, and no tokens. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Whether the workspace must be a tracked project: `require` refuses one that is not on the list, `add` adds it.
   * Default: no check, because the caller names the folder.
   */
  readonly tracked?: 'require' | 'add';
  /** Folder for locks and stored outputs, outside the workspace. Default: `$XDG_STATE_HOME/synapse`. */
  readonly stateFolder?: string;
  /** Folder of the user's configuration. Default: `$XDG_CONFIG_HOME/synapse`. */
  readonly configFolder?: string;
  /** Rules in addition to those of the configuration files. */
  readonly policy?: PermissionSettings;
  /** Answers the questions of the policy. Default: none; such calls fail with `approval_required`. */
  readonly approver?: Approver;
  /** How commands and git are confined. Default: `auto`, as well as possible here. Every result names the tier used. */
  readonly sandbox?: SandboxChoice;
  /**
   * Whether a foreground command runs on a copy-on-write view of the workspace. Its changes are checked, applied as one
   * change when it ends, and can be undone. If no view is possible, it writes directly, and `meta.undo` says so. If
   * false, every command writes directly. Default: `"undo": { "commands": … }` of the user's configuration, else true.
   */
  readonly undoCommands?: boolean;
  /**
   * Whether a change of files is answered with what it did to their diagnostics, if a language server runs for them already. It then
   * waits at most 300 ms. Default: true.
   */
  readonly editDiagnostics?: boolean;
  /** The network access of sandboxed commands. Default: `off`. */
  readonly network?: NetworkPolicy;
  /**
   * The unsaved texts of an editor. Tools that read or change a file see its text there, and changes of such a file are made by the
   * editor. Searches and commands see the disk. Default: none.
   */
  readonly buffers?: FileBuffers | undefined;
  /** What OpenTelemetry spans contain, if the application has registered an SDK. Default: no arguments and no results. */
  readonly tracing?: TracingOptions;
  /**
   * MCP servers whose tools are added as `mcp:<server>:<tool>`: `true` for the servers of the configuration files,
   * or an object with options. Each of their calls asks, unless a rule such as `mcp(github:*)` says otherwise. Default: none.
   *
   * @example
   * await using hands = await createHands({ workspace: '.', mcp: { servers: { memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } } } });
   */
  readonly mcp?: boolean | McpOptions;
}
