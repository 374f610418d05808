import type { CallResult, FilledForm, PersonForm, Progress } from '@synapse/protocol';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { Git } from '../git/git.ts';
import type { CallJobs } from '../jobs/call-jobs.ts';
import type { Limits } from '../output/limits.ts';
import type { CodeServers } from '../lsp/code-servers.ts';
import type { Diagnostics } from '../lsp/diagnostics.ts';
import type { ShellName } from '../process/command-shell.ts';
import type { Processes } from '../process/processes.ts';
import type { ProgressFeed } from '../process/progress-feed.ts';
import type { Search } from '../search/search.ts';
import type { CollectOptions, OutputCollector } from '../output/output-collector.ts';
import type { Web } from '../web/web.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The origin of a call. Set by the program that makes the call, never by the model: it is not an argument. */
export interface CallOrigin {
  readonly callId: string;
  /** Identical for every call in a workspace, also after a restart. */
  readonly projectId: string;
  readonly sessionId: string | undefined;
  /** How the agent works, such as `ronin-flash`. */
  readonly mode: string | undefined;
  /** The step of the protocol that the agent follows. */
  readonly currentStepId: string | undefined;
  /** The branch that the call works in, for tools of the program that opened it with `hands.branch`. */
  readonly branch?: string;
}

/** Options of a call that a tool makes. The rest is as its own call was given it. */
export interface NestedOptions {
  /** Limits of the answer. Default: those of a call by the caller. */
  readonly limits?: Partial<Limits>;
  /** Cancels this call alone. The end of the tool's own call cancels it too. */
  readonly signal?: AbortSignal;
}

/** Calls of a program: many, which change the workspace together or not at all. */
export interface ProgramCalls {
  /** Describes a tool in a few lines, or lists those that match some words; all without a text. */
  describe(text?: string): string;
  begin(): CallsAsOne;
}

/** Calls whose changes are one: on a branch, where that works. Disposing them drops what {@link finish} did not apply. */
export interface CallsAsOne extends AsyncDisposable {
  /** Makes a call, which is judged, limited and recorded as a call of its own. Never rejects. */
  call(name: string, input: unknown, signal?: AbortSignal): Promise<CallResult>;
  /** Tools that acted beyond the workspace, such as on a server, with the number of their calls: that stays whatever happens. */
  readonly beyond: ReadonlyMap<string, number>;
  /** Applies what they changed, as one change of the call that began them, after one question if any of them needs one. */
  finish(): Promise<FinishedCalls>;
}

/** What became of the changes of such calls. */
export type FinishedCalls =
  | { readonly kind: 'unchanged' }
  /** They were made in a dry run, and dropped. */
  | { readonly kind: 'tried'; readonly effect: ShownEffect }
  | { readonly kind: 'applied'; readonly effect: ShownEffect; readonly undo: true | string }
  /** They were made one by one, because branches do not work here; `why` is the reason. */
  | { readonly kind: 'live'; readonly effect: ShownEffect; readonly why: string }
  /** They wait for a person in a branch. */
  | { readonly kind: 'held'; readonly branch: string; readonly why: string }
  | { readonly kind: 'dropped'; readonly why: string };

/** The capabilities of one call. A tool reaches the disk, processes and environment only through them. */
export interface ToolContext {
  readonly origin: CallOrigin;
  readonly workspace: Workspace;
  readonly processes: Processes;
  /** Commands that outlive their call. */
  readonly jobs: CallJobs;
  readonly search: Search;
  readonly git: Git;
  readonly web: Web;
  readonly diagnostics: Diagnostics;
  /** The language servers, for questions about code. */
  readonly code: CodeServers;
  /**
   * Makes another call in the same workspace, which is judged, asked about, limited and recorded as a call of its own. In a dry
   * run it is one too. Never throws.
   */
  readonly call: (name: string, input: unknown, options?: NestedOptions) => Promise<CallResult>;
  /** The plan that the tool's `foresee` returned for this call. */
  readonly foreseen?: object | undefined;
  readonly program: ProgramCalls;
  /** Aborted by the deadline or the caller; `reason` is a Synapse error, `timeout` or `cancelled`. */
  readonly signal: AbortSignal;
  readonly limits: Limits;
  /** The shell that commands run with. */
  readonly shell: ShellName;
  /** Reports the progress of the call. */
  readonly progress: (progress: Progress) => void;
  /** Reports the output of a command. Watchers see it at a limited rate, and `onOutput` of the call gets all of it. */
  readonly liveOutput: () => Pick<ProgressFeed, 'add'> & Disposable;
  /** Shows the approver a form of the MCP server that the call goes to. */
  readonly fillForm: (form: PersonForm) => Promise<FilledForm>;
  /** Stores binary content, such as audio, separately from the answer. Returns its handle. At most 64 MiB each. */
  readonly keep: (bytes: Uint8Array) => string;
  /** Creates a bounded buffer for output of unknown size, which spills the rest to a file. */
  readonly collectOutput: (options?: CollectOptions) => OutputCollector;
}
