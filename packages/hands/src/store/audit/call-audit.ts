import { toSynapseError, type CallError, type CallMeta, type SynapseError, type ErrorCode } from '@synapse/protocol';
import type { ResolvedCall, RequestedCall, ValidCall } from '../../pipeline/call.ts';
import { GUARD_MEANINGS } from '../../policy/guarded-paths.ts';
import { processIdentity } from '../../workspace/process-identity.ts';
import { AuditLog } from './audit-log.ts';
import type { EndRecord, StartRecord } from './audit-record.ts';
import { describeCause } from './describe-cause.ts';
import { describeArguments } from './describe-arguments.ts';
import { listed, type Listed } from './listed.ts';
import { redactedStart, type Redact } from './redact.ts';
import { summaryArguments } from './summary-arguments.ts';

/** Characters of a text, such as a command. */
const MAX_TEXT = 1_000;
/** Errors whose message does not say what broke: that is of no use to a model. */
const UNEXPLAINED: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable']);
/** Characters of a name that somebody outside chose. */
const MAX_NAME = 128;

/** What came of a call, for its record. */
export interface CallOutcome {
  readonly meta: CallMeta;
  readonly error?: CallError;
  /** What was thrown, where the error does not say it. */
  readonly cause?: unknown;
  /** Bytes of text that the answer shows. */
  readonly bytes: number;
}

type Identity = Pick<StartRecord, 'call' | 'tool' | 'session' | 'step' | 'mode' | 'dry_run'>;

function identity({ callId, name, options: { sessionId, stepId, mode, dryRun } }: RequestedCall, redact: Redact): Identity {
  const short = (text: string): string => text.slice(0, MAX_NAME);
  return {
    call: short(callId),
    // Of a tool that there is none of, the name is what a model made up.
    tool: redactedStart(name, MAX_NAME, redact),
    ...(sessionId === undefined ? {} : { session: short(sessionId) }),
    ...(stepId === undefined ? {} : { step: short(stepId) }),
    ...(mode === undefined ? {} : { mode: short(mode) }),
    ...(dryRun === true ? { dry_run: true } : {}),
  };
}

/** Which of Synapse's own guards kept a call from a place. A command that is merely not understood met none. */
function guardOf(error: CallError | undefined): Pick<EndRecord, 'guard'> {
  const rule = error?.details?.['rule'];
  if (rule === undefined) return {};
  const guard = Object.keys(GUARD_MEANINGS).find((name) => rule === `built-in: ${name}`);
  return guard === undefined ? {} : { guard };
}

function more(lists: Record<keyof NonNullable<EndRecord['more']>, Listed<unknown>>): Pick<EndRecord, 'more'> {
  if (lists.resources.more + lists.resolved.more + lists.changes.more === 0) return {};
  const counts = Object.entries(lists).flatMap(([name, list]) => (list.more === 0 ? [] : [[name, list.more] as const]));
  return { more: Object.fromEntries(counts) };
}

/**
 * Tells the audit log of calls. Opened with the first one, and tried again with each: where the state
 * folder cannot be written, reading must go on working.
 */
export class CallAudit implements Disposable {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #redact: Redact;
  readonly #starts = new WeakMap<RequestedCall['facts'], number>();
  /** Reading calls whose start is not yet written. */
  readonly #waiting = new Map<RequestedCall['facts'], { readonly timer: NodeJS.Immediate; readonly input: unknown; readonly write: () => void }>();
  #log: AuditLog | undefined;
  #closed = false;

  constructor(stateFolder: string, root: string, redact: Redact) {
    this.#stateFolder = stateFolder;
    this.#root = root;
    this.#redact = redact;
  }

  /**
   * Writes down what is to run, before any of it does. Gives the reason where that cannot be.
   *
   * A call that only reads may wait for the event loop to turn: one that is over by then, as most are, is
   * written with its end, which halves what a record costs. It had no effect that anybody could miss.
   */
  start(call: ResolvedCall & Pick<ValidCall, 'arguments'>): SynapseError | undefined {
    if (call.tool.effects !== 'read') return this.#attempt(() => this.#start(call, call.arguments));
    const write = (): void => {
      clearImmediate(this.#waiting.get(call.facts)?.timer);
      this.#waiting.delete(call.facts);
      // Where it fails, the end is tried again, and its failure is told.
      this.#attempt(() => this.#start(call, call.arguments));
    };
    this.#waiting.set(call.facts, { timer: setImmediate(write), input: call.arguments, write });
    return undefined;
  }

  /** Writes down what came of a call; of one that failed before it could start, both. */
  end(call: RequestedCall, { meta, error, cause, bytes }: CallOutcome): SynapseError | undefined {
    const { effects, permissions, decision, sandbox, resolved, changes, undo, appliedFrom } = call.facts;
    const redact = this.#redact;
    const waiting = this.#waiting.get(call.facts);
    clearImmediate(waiting?.timer);
    this.#waiting.delete(call.facts);
    // Those that outlast this one are no quick ones; and a caller that never lets the event loop turn must not hide them.
    for (const { write } of this.#waiting.values()) write();
    return this.#attempt(() => {
      const shown = {
        resources: listed(permissions, ({ action, resource }) => ({ action, resource: redactedStart(resource, MAX_TEXT, redact) })),
        resolved: listed(resolved, redact),
        changes: listed(changes, ({ path, to, ...rest }) => ({ ...rest, path: redact(path), ...(to === undefined ? {} : { to: redact(to) }) })),
      };
      const record = (start: number): Omit<EndRecord, 'seq' | 'time' | 'prev' | 'hash'> => ({
        type: 'end',
        start,
        ...identity(call, redact),
        ok: error === undefined,
        ...(error === undefined ? {} : { code: error.code }),
        ...(cause === undefined || error === undefined || !UNEXPLAINED.has(error.code)
          ? {}
          : { cause: redactedStart(describeCause(cause), MAX_TEXT, redact) }),
        ...guardOf(error),
        completion: meta.completion,
        summary: redactedStart(meta.summary, MAX_TEXT, redact),
        duration_ms: Math.round(meta.durationMs * 1_000) / 1_000,
        result_bytes: bytes,
        ...(effects === undefined ? {} : { effects }),
        ...(permissions.length === 0 ? {} : { resources: [...shown.resources.kept] }),
        ...(resolved.size === 0 ? {} : { resolved: [...shown.resolved.kept] }),
        ...decision,
        // A rule that allows one command holds it whole.
        ...(decision.rule === undefined ? {} : { rule: redactedStart(decision.rule, MAX_TEXT, redact) }),
        ...(sandbox === undefined ? {} : { sandbox }),
        ...(undo === undefined ? {} : { undo }),
        ...(appliedFrom === undefined ? {} : { applied_from: appliedFrom }),
        ...(changes.length === 0 ? {} : { changes: [...shown.changes.kept] }),
        ...more(shown),
      });
      const started = this.#starts.get(call.facts);
      if (started === undefined) this.#open().appendBoth(this.#startRecord(call, waiting === undefined ? call.input : waiting.input), record);
      else this.#open().append(record(started));
    });
  }

  /** The one line that sums a call up, made of arguments without secrets. */
  summary(summarize: (input: Record<string, unknown>) => string, input: Record<string, unknown>): string {
    try {
      return summarize(summaryArguments(input, this.#redact));
    } catch {
      // An address without its secret need not be one any more. What is made of all of it is redacted as a whole.
      return this.#redact(summarize(input));
    }
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#log?.[Symbol.dispose]();
    this.#log = undefined;
  }

  #startRecord(call: RequestedCall, input: unknown): Omit<StartRecord, 'seq' | 'time' | 'prev' | 'hash'> {
    return {
      type: 'start',
      ...identity(call, this.#redact),
      project: this.#root,
      process: processIdentity(),
      arguments: describeArguments(input, this.#redact),
    };
  }

  #start(call: RequestedCall, input: unknown): void {
    this.#starts.set(call.facts, this.#open().append(this.#startRecord(call, input)));
  }

  #open(): AuditLog {
    return (this.#log ??= AuditLog.open(this.#stateFolder, this.#root));
  }

  #attempt(work: () => unknown): SynapseError | undefined {
    try {
      work();
      return undefined;
    } catch (error) {
      return toSynapseError(error);
    } finally {
      // A call that is made after the hands were closed is told of as well.
      if (this.#closed) this[Symbol.dispose]();
    }
  }
}
