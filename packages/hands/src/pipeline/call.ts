import type { ContentBlock, Permission, SandboxTier, Truncation } from '@synapse/protocol';
import type { Approver } from '../approval/approver.ts';
import type { Effect } from '../dry-run/effect.ts';
import type { Rehearsal } from '../dry-run/rehearsal.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { TooLargeToUndo } from '../journal/capture.ts';
import type { Limits } from '../limits.ts';
import type { AsksFirst } from '../policy/command-route.ts';
import type { Decision } from '../policy/decision.ts';
import type { AnyTool, ProgressListener } from '../tool.ts';
import type { CallFacts } from './facts.ts';

/** What a caller may say beside the tool and its input. */
export interface CallOptions {
  /** Ends the call; it answers `cancelled` once everything it started is gone. */
  readonly signal?: AbortSignal;
  readonly onProgress?: ProgressListener;
  /** Default: a random UUID. */
  readonly callId?: string;
  readonly sessionId?: string;
  /** The protocol step that the call belongs to. */
  readonly stepId?: string;
  /** How the brain works at the moment, for the records. */
  readonly mode?: string;
  /** Who is asked about this call: whoever made it has a person at hand. Default: the approver of the hands. */
  readonly approver?: Approver;
  /** Milliseconds until the call is aborted; it shortens the deadline of the tool and never extends it. */
  readonly timeoutMs?: number;
  /** Overrides of the hands' own limits for this call. */
  readonly limits?: Partial<Limits>;
  /**
   * Which commands are asked about before they run, and not about what they changed: `all` as a dialect promises it, `changes`
   * all but those that only read. Default: `none`.
   */
  readonly asksFirst?: AsksFirst;
  /**
   * Whether commands run to their end in this call: nobody comes back for a job. Default: one that takes long goes on as a
   * job after `yield_ms`.
   */
  readonly foreground?: boolean;
  /**
   * Tell what the call would do, and do nothing. A command runs on a copy of the workspace without network, which is
   * thrown away: so whoever sets this lets code run. Never take it from a brain. Default: false.
   */
  readonly dryRun?: boolean;
}

/** A call as it was asked for. */
export interface RequestedCall {
  readonly name: string;
  readonly input: unknown;
  readonly options: CallOptions;
  readonly callId: string;
  readonly startedAt: number;
  readonly facts: CallFacts;
}

/** Its tool is known. */
export interface ResolvedCall extends RequestedCall {
  readonly tool: AnyTool;
}

/** Its input is parsed: from here on nobody looks at what was sent. */
export interface ValidCall extends ResolvedCall {
  readonly arguments: Record<string, unknown>;
}

/** What it needs is known, and lies where calls may go. */
export interface ScopedCall extends ValidCall {
  readonly permissions: readonly Permission[];
}

/** What it needs is granted. */
export interface AuthorizedCall extends ScopedCall {
  readonly decision: Decision;
  /** Whether what it takes away may be lost for good. */
  readonly mayLose: (fact: TooLargeToUndo) => boolean;
  /** What a person saw of it, and said yes to: that and nothing else is to be done. */
  readonly tried: Rehearsed | undefined;
}

/** It has a deadline. */
export interface BoundCall extends AuthorizedCall {
  readonly signal: AbortSignal;
  /** Gives it its whole time again, where its tool has that. */
  renew(): void;
  /** Stops its time while a person thinks. */
  suspend(): Disposable;
  /** Stands in for what would change something; undefined where the call is for real. */
  readonly rehearsal?: Rehearsal;
}

/** What a call would do, as it was tried. Its contents can be read until it is disposed. */
export interface Rehearsed extends AsyncDisposable {
  readonly executed: ExecutedCall;
  readonly effect: Effect;
  readonly powers: StepPowers;
  readonly shown: ShownEffect;
}

/** It ran. */
export interface ExecutedCall extends BoundCall {
  readonly data: unknown;
  readonly content: string | readonly ContentBlock[];
  /** Of a content that is one text, where its tool knows them. */
  readonly contentBytes: number | undefined;
  readonly note: string | undefined;
  readonly truncation: Truncation | undefined;
  readonly sandbox: SandboxTier | undefined;
}

/** Its answer keeps to the limits. */
export interface ShapedCall extends Omit<ExecutedCall, 'content' | 'contentBytes' | 'note'> {
  readonly content: ContentBlock[];
  /** Of all of its content. */
  readonly bytes: number;
}
