import type { CallMeta, DryRun, Permission, SandboxTier } from '@synapse/protocol';
import type { TooLargeToUndo } from '../journal/capture.ts';
import type { RecordedChange } from '../store/audit/audit-record.ts';
import type { AnyTool } from '../tool.ts';

/** How it was decided that a call may run. */
export interface Decision {
  /** The rule, as it stands in the configuration. */
  readonly rule?: string;
  /** Who was asked, and what they said. */
  readonly approver?: string;
  readonly answer?: string;
}

/**
 * What is learned about a call while it runs. Unlike the call itself it outlives a failure at any stage,
 * so that the records tell of a failed call what is known by then.
 */
export interface CallFacts {
  /** Of the tool, once it is known. */
  effects: AnyTool['effects'] | undefined;
  permissions: readonly Permission[];
  decision: Decision;
  sandbox: SandboxTier | undefined;
  /** Places below the workspace that the call's paths turned out to be. */
  readonly resolved: Set<string>;
  readonly changes: RecordedChange[];
  /** What the call took away, or is about to, and the journal cannot give back. */
  readonly tooLargeToUndo: TooLargeToUndo[];
  /** What a dry run found. */
  dryRun: DryRun | undefined;
  /** Whether what a command changed can be taken back. */
  undo: 'covered' | 'not covered' | undefined;
  /** Where what was done was tried before. */
  appliedFrom: 'copy' | undefined;
  /** Which way its command ran. */
  ran: CallMeta['ran'];
  /** The handle of changes that wait for a person. */
  pending: string | undefined;
  /** The answer says already that the call is not in the audit log. */
  unrecorded: boolean;
  /** Lines for the model about the call rather than its answer. */
  readonly notes: string[];
}

export function newFacts(): CallFacts {
  return {
    effects: undefined,
    permissions: [],
    decision: {},
    sandbox: undefined,
    resolved: new Set(),
    changes: [],
    tooLargeToUndo: [],
    dryRun: undefined,
    undo: undefined,
    appliedFrom: undefined,
    ran: undefined,
    pending: undefined,
    unrecorded: false,
    notes: [],
  };
}
