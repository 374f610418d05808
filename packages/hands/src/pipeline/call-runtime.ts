import type { Permission } from '@synapse/protocol';
import type { CheckedCall, DryRunOutcome, RunningCall } from '../call/call.ts';
import type { DryRunSession } from '../dry-run/dry-run-session.ts';
import type { Limits } from '../output/limits.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { Tracing } from '../tracing/traced-call.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import type { Recorders } from './record.ts';
import type { SecretMask } from './without-secrets.ts';
import type { Authorizer, Scope } from './check-permissions.ts';

/** The registered tools. */
export interface CallableTools {
  find(name: string): AnyTool | undefined;
  /**
   * @param isOffered whether a tool may be suggested
   * @throws SynapseError `unknown_tool` with suggestions
   */
  get(name: string, isOffered?: (tool: AnyTool) => boolean): AnyTool;
  /** Resolves once it is known whether a missing tool will be registered; rejects when a signal aborts. Undefined if there is nothing to wait for. */
  waitForTool(name: string, signals: readonly AbortSignal[]): Promise<void> | undefined;
}

/** The services for the stages of a call, and their only view of the runtime. */
export interface CallRuntime extends Scope, Recorders {
  readonly registry: CallableTools;
  readonly authorizer: Authorizer;
  readonly tracing: Tracing;
  /** Limits of an answer, which override those of a tool. */
  readonly limits: Partial<Limits>;
  /** Whether the changes of a call may exceed the journal's limits, estimated from the paths that it names. */
  mayTakeAwayMuch(permissions: readonly Permission[]): boolean;
  /** Replaces the journal and the processes of a call. */
  openDryRun(call: RunningCall, options?: { readonly measure?: boolean }): { readonly dryRunSession: DryRunSession; readonly guards: PlaceGuards };
  /** The workspace as calls read it while build output of commands is kept apart; undefined if nothing is. Dispose it after the call. */
  readingView(call: RunningCall): Promise<(Confinement & Disposable) | undefined> | undefined;
  /** Writes the git note of a commit that a call made; undefined unless a person turned that on. */
  readonly noteCommit: ((call: CheckedCall) => Promise<void>) | undefined;
  /** Takes the secrets of the user out of results, errors and questions; undefined if there are none. */
  readonly secretMask: () => Promise<SecretMask> | undefined;
  /** Adds to the notes of a call what its changes did to diagnostics; undefined if no language server runs. */
  tellDiagnostics(call: RunningCall, ctx: ToolContext): Promise<void> | undefined;
  /** Adds to the notes of a dry run what its changes would do to diagnostics, where a language server runs. */
  foreseeDiagnostics(outcome: DryRunOutcome): Promise<void> | undefined;
  /** The context of one call. @param files what it reads instead of the workspace */
  context(call: RunningCall, files?: Confinement): ToolContext;
}
