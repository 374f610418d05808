import { type CallMeta, type ContentBlock, type DryRun, type Permission, type SandboxTier, SynapseError, type Truncation } from '@synapse/protocol';
import type { Approver } from '../approval/approver.ts';
import type { Effect } from '../dry-run/effect.ts';
import type { DryRunSession, TriedCommand } from '../dry-run/dry-run-session.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import type { Limits } from '../output/limits.ts';
import type { AsksFirst } from '../policy/command-route.ts';
import type { Decision } from '../policy/decision.ts';
import type { AnyTool, Foreseen, ProgressListener } from '../tool/tool.ts';
import { nearest } from '../text/nearest.ts';
import type { RecordedChange } from '../workspace/changes/step.ts';
import { CALL_OPTION_TYPES, type OptionType } from './call-option-types.ts';
import type { CommandBasis, CommandRecord } from './command-record.ts';

/** Why a call was allowed to run. */
interface DecisionRecord {
  /** The rule, as written in the configuration. */
  readonly rule?: string;
  /** The approver and its answer. */
  readonly approver?: string;
  readonly answer?: string;
}

/**
 * State collected while a call runs. Unlike the call itself it survives a failure at any stage,
 * so that the record of a failed call contains everything known by then.
 */
interface CallState {
  /** The effects of the tool, once it is resolved. */
  effects: AnyTool['effects'] | undefined;
  permissions: readonly Permission[];
  decision: DecisionRecord;
  sandbox: SandboxTier | undefined;
  /** Resolved paths of the call, relative to the workspace. */
  readonly resolved: Set<string>;
  readonly changes: RecordedChange[];
  /** What the call deletes or overwrites beyond the limits of the journal. */
  readonly tooLargeToUndo: TooLargeToUndo[];
  /** The result of a dry run. */
  dryRun: DryRun | undefined;
  /** Whether a command's changes can be undone. */
  undo: 'covered' | 'not covered' | undefined;
  /** Set if the changes came from a copy. */
  appliedFrom: 'copy' | undefined;
  /** The route on which its command ran. */
  ran: CallMeta['ran'];
  /** The handle of pending changes. */
  pending: string | undefined;
  /** Where a person was asked, if another place than the caller's showed the question. */
  askedIn: string | undefined;
  /** Whether the answer already says that the call is not in the audit log. */
  unrecorded: boolean;
  /** What that needs which is known before the command ends; undefined before it starts. */
  basis: (() => CommandBasis) | undefined;
  /** Completes the record of its command, if that has ended. */
  endCommand: ((options?: { readonly isJob: boolean }) => Promise<CommandRecord>) | undefined;
  /** Whether the end of the call is recorded, or about to be: what ends later is no part of it. */
  isEnding: boolean;
  /** That record. */
  command: CommandRecord | undefined;
  /** Notes for the model about the call, in addition to its answer. */
  readonly notes: string[];
}

export function newCallState(): CallState {
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
    askedIn: undefined,
    unrecorded: false,
    basis: undefined,
    endCommand: undefined,
    isEnding: false,
    command: undefined,
    notes: [],
  };
}

/** How much of an answer its reader shows to a model. */
export interface ReaderLimits extends Partial<Limits> {
  /** Maximum characters of the text as JSON, for a reader that counts escapes: a line end is two characters, a quote too. */
  readonly jsonCharacters?: number;
}

/** Options of a call. */
export interface CallOptions {
  /** Cancels the call, which fails with `cancelled` once everything it started has ended. */
  readonly signal?: AbortSignal;
  readonly onProgress?: ProgressListener;
  /** Gets all output of the call while it runs, without escape sequences of terminals. Progress has only as much of it as people can follow. */
  readonly onOutput?: (output: string) => void;
  /** The ID of the call. Default: a random UUID. */
  readonly callId?: string;
  readonly sessionId?: string;
  /** The protocol step that the call belongs to. */
  readonly stepId?: string;
  /** The ID of the call whose changes these are: an undo of that one takes them back. Default: of this one. */
  readonly changesOf?: string;
  /** How the agent works, such as `ronin-flash`. For records, and for custom tools (`ctx.origin`). */
  readonly mode?: string;
  /** The approver for this call. Default: the approver of the hands. */
  readonly approver?: Approver;
  /** Milliseconds until a question of this call is given up: it ends with `approval_required`, and changes wait. Default: five minutes. */
  readonly approvalTimeoutMs?: number;
  /** Milliseconds until the call is aborted. Can shorten the tool's deadline, not extend it. */
  readonly timeoutMs?: number;
  /** Overrides the limits of the hands for this call. */
  readonly limits?: Partial<Limits>;
  /** Limits of the reader of the answer. Smaller limits still apply. Default: no limit. */
  readonly readerLimits?: ReaderLimits;
  /** The calls that this one was made for, the outermost first. The pipeline sets it for calls that a tool makes. */
  readonly parents?: readonly string[];
  /** The tools that calls made for this one may use, by their names; a final `*` matches any rest. Default: all. */
  readonly mayCall?: readonly string[];
  /** The dialect's name for the tool, for the summary of the call. Default: the tool's name. */
  readonly calledAs?: string;
  /**
   * Which commands need approval before they run, instead of their changes afterwards: `all`, as some dialects promise, or `changes`:
   * all commands that do not only read. Default: `none`.
   */
  readonly asksFirst?: AsksFirst;
  /**
   * Whether commands run to their end in this call, because no later call can read a job. Default: false; a long command
   * continues as a job after `yield_ms`.
   */
  readonly foreground?: boolean;
  /** `sh`: runs commands with /bin/sh, as some dialects promise. Default: bash, if installed. */
  readonly shell?: 'sh';
  /**
   * Reports what the call would do, without doing it. A command does run, but on a copy of the workspace that is discarded,
   * without network. If an agent sets it, say so in `dryRunFor`. Default: false.
   */
  readonly dryRun?: boolean;
  /** The requester of the dry run. For `agent`, a command that the policy would ask about does not run. Default: `person`. */
  readonly dryRunFor?: 'person' | 'agent';
  /**
   * Whether the call is part of a dry run, in a branch that is dropped: it changes the branch, and does no more than a dry run otherwise.
   * Set for the calls of programs. Default: false.
   */
  readonly inDryRun?: boolean;
  /** Whether the call came from another machine. Then an error says how to allow it at this one. Default: false. */
  readonly remote?: boolean;
}

const TYPES: { readonly [Name in keyof Required<CallOptions>]: OptionType } = CALL_OPTION_TYPES;
const OPTION_TYPES: ReadonlyMap<string, OptionType> = new Map(Object.entries(TYPES));

/** What an option must be, in words. */
const described = (type: OptionType): string =>
  typeof type === 'object'
    ? type.map((word) => JSON.stringify(word)).join(' or ')
    : type === 'signal'
      ? 'an AbortSignal'
      : `${type === 'object' ? 'an' : 'a'} ${type}`;

function isOfType(value: unknown, type: OptionType): boolean {
  if (typeof type === 'object') return type.some((word) => word === value);
  if (type === 'signal') return value instanceof AbortSignal;
  if (type === 'list') return Array.isArray(value);
  // All numbers are times: neither a negative one nor NaN is one.
  return typeof value === type && value !== null && (typeof value !== 'number' || value >= 0);
}

/**
 * What is wrong with the options of a call; undefined if nothing is. In a program without types, a misspelled `dryRun` would let the call do what
 * it was only to report.
 */
export function optionsProblem(given: unknown): SynapseError | undefined {
  if (typeof given !== 'object' || given === null)
    return new SynapseError('invalid_arguments', `The options of a call are an object, not ${given === null ? 'null' : `a ${typeof given}`}.`);
  for (const [name, value] of Object.entries(given)) {
    const type = OPTION_TYPES.get(name);
    if (type === undefined) {
      const [near] = nearest(name, OPTION_TYPES.keys());
      const hint = near !== undefined ? `Did you mean ${near}?` : `The options are: ${[...OPTION_TYPES.keys()].join(', ')}.`;
      return new SynapseError('invalid_arguments', `A call has no option ${JSON.stringify(name.slice(0, MAX_SHOWN))}.`, { hint });
    }
    if (value !== undefined && !isOfType(value, type))
      return new SynapseError('invalid_arguments', `The option ${name} of a call must be ${described(type)}.`);
  }
  return undefined;
}

const MAX_SHOWN = 64;

/** A call as requested. */
export interface RequestedCall {
  readonly name: string;
  readonly input: unknown;
  readonly options: CallOptions;
  readonly callId: string;
  readonly startedAt: number;
  readonly state: CallState;
}

/** A call whose tool is known. */
export interface ResolvedCall extends RequestedCall {
  readonly tool: AnyTool;
}

/** A call with parsed input: later stages never read the raw input. */
export interface ValidCall extends ResolvedCall {
  readonly arguments: Record<string, unknown>;
}

/** A call whose permissions are known, and whose paths are inside the allowed roots. */
export interface CheckedCall extends ValidCall {
  readonly permissions: readonly Permission[];
  /** What it was found to do; undefined if its permissions follow from its input. */
  readonly foreseen?: Foreseen;
}

/** A call that the policy or the approver allowed. */
export interface AuthorizedCall extends CheckedCall {
  readonly decision: Decision;
  /** Whether a change that cannot be undone was approved. */
  readonly allowsIrreversible: (fact: TooLargeToUndo) => boolean;
  /** The approved dry run: exactly these changes are applied. */
  readonly tried: DryRunOutcome | undefined;
}

/** A call with a deadline, and limits for its answer. */
export interface RunningCall extends AuthorizedCall {
  readonly signal: AbortSignal;
  readonly limits: Limits;
  /** Restarts the time-out, if the tool supports it. */
  renew(): void;
  /** Pauses the time-out while a question waits. */
  suspend(): Disposable;
  /** Replaces everything that makes changes in a dry run; undefined in a real call. */
  readonly dryRunSession?: DryRunSession;
}

/** The result of a dry run. Its contents can be read until it is disposed. */
export interface DryRunOutcome extends AsyncDisposable {
  readonly executed: ExecutedCall;
  readonly effect: Effect;
  /** Identifies this exact effect. */
  readonly fingerprint: string;
  /** The command that it ran, if the command changed something. */
  readonly command: TriedCommand | undefined;
  readonly shown: ShownEffect;
}

/** A call that ran. */
export interface ExecutedCall extends RunningCall {
  readonly data: unknown;
  readonly content: string | readonly ContentBlock[];
  /** Size of a single text in bytes, if the tool knows it. */
  readonly contentBytes: number | undefined;
  readonly note: string | undefined;
  readonly truncation: Truncation | undefined;
  readonly sandbox: SandboxTier | undefined;
}

/** A call whose answer is within the limits. */
export interface ShapedCall extends Omit<ExecutedCall, 'content' | 'contentBytes' | 'note'> {
  readonly content: ContentBlock[];
  /** Size of the whole content in bytes. */
  readonly bytes: number;
}

/** Why a call can have no jobs; undefined if it can. */
export function whyNoJobs({ dryRun, foreground }: Pick<CallOptions, 'dryRun' | 'foreground'>): string | undefined {
  if (dryRun === true) return 'A dry run ends with its call';
  return foreground === true ? 'This interface waits for each command and does not come back for a job' : undefined;
}

/** Joins the text blocks into one text for a model. */
export function contentText(content: readonly ContentBlock[]): string {
  let text = '';
  for (const block of content) {
    if (block.type === 'image' || block.text === '') continue;
    if (text !== '' && !text.endsWith('\n')) text += '\n';
    text += block.text;
  }
  return text;
}
