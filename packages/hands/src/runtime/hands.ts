import type { NewestReceipt } from '../receipt/receipts.ts';
import type { CallResult } from '@synapse/protocol';
import type { DialectResult, DialectToolDescription } from '../dialects/dialect.ts';
import type { McpServers } from '../mcp-client/mcp-status.ts';
import type { Undo } from './undo.ts';
import type { BranchPart } from './apply-branch-tool.ts';
import type { BranchInfo, Branches } from './branches.ts';
import type { Pending } from './pending.ts';
import type { Explanation } from '../policy/explain.ts';
import type { Grant } from '../policy/grant.ts';
import type { Mode } from '../policy/modes.ts';
import type { PolicyReport } from '../policy/policy-report.ts';
import type { AppliedBranch } from '../branch/apply-branch.ts';
import type { CallOptions } from '../call/call.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { UndoSelection } from '../journal/select-entries.ts';
import type { ShownChange } from '../journal/show-changes.ts';
import type { EventListener } from '../pipeline/record.ts';
import type { QuarantinedFile } from '../process/processes.ts';
import type { ToolFormat, ToolFormats, WriteOptions } from '../providers/tool-formats.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { CallArguments, CallData, CallName } from './typed-call.ts';

/** Hands under the tool names and formats of another system. */
export interface DialectHands {
  readonly name: string;
  /** The tools of the dialect that these hands can run, in the order for a model. */
  tools(): readonly DialectToolDescription[];
  /** Its tools in the format of a provider or client. */
  tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  /** Runs a tool of the dialect as canonical calls. Never throws and never rejects. */
  call(name: string, input?: unknown, options?: CallOptions): Promise<DialectResult>;
}

/**
 * The runtime that owns a workspace and runs calls. Disposing it cancels running calls, and resolves once they have
 * ended; a custom tool that ignores its signal delays this by some seconds. Later calls fail with `unavailable`.
 */
export interface Hands<Tool extends AnyTool = never> extends AsyncDisposable, Undo, Pending, Branches {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** `handle` if no race can lead out of the workspace, `checked` if this is best effort. */
  readonly confinement: 'handle' | 'checked';
  /**
   * Runs a tool. Never throws and never rejects: a failure is a result with `ok: false`.
   *
   * The input and the `data` have the types of the tool. For a name of type `string`, or of a tool of an MCP server,
   * any input is accepted, and the `data` is `unknown`.
   *
   * @example
   * const result = await hands.call('read_file', { path: 'package.json' });
   * console.log(result.ok ? result.output : result.error.message);
   */
  call<const Name extends string>(name: CallName<Tool, Name>, ...rest: CallArguments<Tool, Name>): Promise<CallResult<CallData<Tool, Name>>>;
  /**
   * What the policy would decide about a call, and why. Does not run it.
   *
   * @throws SynapseError `unknown_tool` or `invalid_arguments` for an invalid call
   */
  explain(name: string, input?: unknown): Promise<Explanation>;
  /**
   * The constraints of calls, one sentence each, for a system prompt.
   *
   * @param options `canAsk`: whether calls have their own approver. Default: whether these hands have one.
   * @example
   * const system = `You fix bugs.\n${hands.constraints().join('\n')}`;
   */
  constraints(options?: { readonly canAsk?: boolean }): readonly string[];
  /** The rules in force and the saved approvals. */
  policy(): PolicyReport;
  /**
   * Makes the mode stricter than configured, from the next call on, or gives the configured one back: a looser mode than that has no
   * effect. Returns the mode in force.
   */
  limitMode(mode: Mode): Mode;
  /**
   * Revokes saved approvals: one by its number in `policy().grants` (from 1), or all that contain a rule.
   *
   * @throws SynapseError `unavailable` or `busy` if the change cannot be saved
   */
  revoke(which: number | string): readonly Grant[];
  /** The tools, in the order for a model. */
  tools(): readonly AnyTool[];
  /**
   * The tools in the format of a provider or client. Run the calls with `handleOpenAiChat` and similar functions. The
   * tools for the AI SDK run by themselves; set `images: false` for AI SDK providers without image results.
   *
   * @throws SynapseError `invalid_arguments` for an unknown format, with the list
   * @example
   * const message = await anthropic.messages.create({ model, max_tokens, messages, tools: hands.tools('anthropic') });
   */
  tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  /**
   * The tools with the names, formats and error texts of another system.
   *
   * @throws SynapseError `invalid_arguments` with the list for an unknown dialect
   * @example
   * const { output } = await hands.dialect('synapse').call('run_command', { command: 'npm test' });
   */
  dialect(name: string): DialectHands;
  /**
   * Hands on a branch: a copy-on-write copy of the workspace, which is made if it does not exist. Several can be open at once, and the
   * same one in several processes.
   *
   * @param options `from`: the branch that a new one is based on; `create`: whether it may be new
   * @throws SynapseError `not_found` with `create: false`, `already_exists` for a branch with another base, `invalid_arguments` for a
   *   name that a branch cannot have, `unavailable` if branches do not work here
   * @example
   * await using branch = await hands.branch('fix-login');
   * await branch.call('run_command', { command: 'npm test' });
   * await branch.apply();
   */
  branch(name: string, options?: BranchOptions): Promise<Branch<Tool>>;
  /** The newest run of each command in the workspace, newest first, and whether the files are still as it found them. */
  receipts(): Promise<readonly NewestReceipt[]>;
  /** Calls the listener with the events of every call. Returns a function that unsubscribes it. */
  subscribe(listener: EventListener): () => void;
  /**
   * Reads the folders of the workspace in the background, so that the first command does not wait for it. For servers; not
   * useful for a program that makes a single call.
   *
   * @param options `programs`: also keeps an interpreter ready for the next program, which takes some 20 MB until the hands are closed
   */
  warmUp(options?: WarmUpOptions): void;
  /** Ends the jobs of a session, except those that a person detached, and resolves when they have ended, with their number. */
  endSession(sessionId: string): Promise<number>;
  /**
   * Quarantines what another program would execute of what a job left that outlived its own Synapse process. For the process
   * that took the job over. Caches and build output of the job are kept, and `notes` says what was not.
   */
  sweepHandedOver(): Promise<{ readonly quarantined: readonly QuarantinedFile[]; readonly notes: readonly string[] }>;
  /** The MCP servers of these hands. */
  readonly mcp: McpServers;
  /** Calls the listener when `tools()` has changed, for example by an MCP server. Returns a function that unsubscribes it. */
  onToolsChanged(listener: () => void): () => void;
}

/** What is prepared besides the folders. */
export interface WarmUpOptions {
  /** Default: false. */
  readonly programs?: boolean;
}

/** How to open a branch. */
export interface BranchOptions {
  /** The branch that a new one is based on. Default: the workspace. */
  readonly from?: string;
  /** Whether it is made if it does not exist. Default: true. */
  readonly create?: boolean;
  /** The largest workspace that is copied where the kernel has no overlays. Default: 250,000 entries and 2 GB. */
  readonly copiesAtMost?: { readonly entries: number; readonly bytes: number };
}

/**
 * Hands on a branch: a copy-on-write copy of the workspace, under the same paths where there are namespaces. All of {@link Hands} is there, with the rules,
 * approvals and tools of the hands that opened it. Disposing it ends what runs in the branch; the branch stays on disk.
 *
 * The calls run in a process of their own, which starts with the first one. If it ends, running calls fail with `unavailable`, and the
 * next call starts another.
 */
export interface Branch<Tool extends AnyTool = never> extends Hands<Tool>, BranchInfo {
  /** What the branch changed, with meaning, diffs and what was left out. */
  show(options?: { readonly signal?: AbortSignal }): Promise<ShownEffect>;
  /**
   * Without a selection, what the branch changed, compared with what it is based on: at most 500 changes, and `show()` says how many
   * more there are. With one, the changes of these calls.
   */
  changes(
    selection?: Pick<UndoSelection, 'call' | 'session'>,
    options?: { readonly diffs?: boolean | number; readonly signal?: AbortSignal },
  ): Promise<ShownChange[]>;
  /**
   * Applies the branch to the workspace, as one change that `undo` of the workspace's hands takes back. What something else changed in
   * the workspace since stays in the branch. Ends the jobs of the branch first.
   *
   * @param options which part of it. Default: all. The rest stays in the branch
   * @example
   * const applied = await branch.apply();
   * console.log(applied.ok ? applied.data.conflicts : applied.error.message);
   */
  apply(options?: CallOptions & BranchPart): Promise<CallResult<AppliedBranch>>;
  /**
   * Deletes the branch and what was changed in it. Ends its jobs first.
   *
   * @throws SynapseError `busy` while calls run in it, or another process uses it
   */
  drop(): Promise<BranchInfo>;
}
