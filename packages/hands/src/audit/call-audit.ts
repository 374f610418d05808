import { type CallError, type CallMeta, type ErrorCode, type SynapseError, toSynapseError } from '@synapse/protocol';
import type { RequestedCall, ResolvedCall, ValidCall } from '../call/call.ts';
import type { CommandRecord } from '../call/command-record.ts';
import { GUARD_MEANINGS } from '../policy/guarded-location.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { AuditBatch } from './audit-batch.ts';
import { AuditLog, type MakeRecord } from './audit-log.ts';
import type { EndRecord, StartRecord, UnlinkedRecord } from './audit-record.ts';
import { describeArguments, listed, type Listed, summaryArguments } from './describe-arguments.ts';
import { type Redact, redactedStart } from './redact.ts';

/** Maximum number of stack lines in the log. These show where the error occurred; the rest shows how it got there. */
const STACK_LINES = 6;

/** Returns the cause of a failure as text for the log. Never throws, whatever was thrown. */
export function describeCause(cause: unknown): string {
  try {
    if (!(cause instanceof Error)) return String(cause);
    return (cause.stack ?? `${cause.name}: ${cause.message}`).split('\n').slice(0, STACK_LINES).join('\n');
  } catch {
    return '[unreadable]';
  }
}

/** Maximum number of characters of a text, such as a command. */
const MAX_TEXT = 1_000;
/** Errors whose message does not name the cause, because the cause is of no use to a model. */
const UNEXPLAINED: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable']);
/** Maximum number of characters of a name from outside. */
const MAX_NAME = 128;

/** A call that is about to run. */
type StartedCall = RequestedCall & Pick<ValidCall, 'arguments'> & { readonly tool: Pick<ResolvedCall['tool'], 'effects'> };

/** The outcome of a call, for its record. */
interface CallOutcome {
  readonly meta: CallMeta;
  readonly error?: CallError;
  /** The thrown value, if the error does not describe it. */
  readonly cause?: unknown;
  /** Number of bytes of text in the answer. */
  readonly bytes: number;
  /** The job whose end this is. */
  readonly job?: string;
}

type Identity = Pick<StartRecord, 'call' | 'tool' | 'session' | 'step' | 'mode' | 'parent' | 'dry_run'>;

function identity({ callId, name, options: { sessionId, stepId, mode, parents, dryRun } }: RequestedCall, redact: Redact): Identity {
  const short = (text: string): string => text.slice(0, MAX_NAME);
  const parent = parents?.at(-1);
  return {
    call: short(callId),
    // The name of an unknown tool is text from the model and may hold a secret.
    tool: redactedStart(name, MAX_NAME, redact),
    ...(sessionId === undefined ? {} : { session: short(sessionId) }),
    ...(stepId === undefined ? {} : { step: short(stepId) }),
    ...(mode === undefined ? {} : { mode: short(mode) }),
    ...(parent === undefined ? {} : { parent: short(parent) }),
    ...(dryRun === true ? { dry_run: true } : {}),
  };
}

function failureOf(error: CallError | undefined, cause: unknown, redact: Redact): Pick<EndRecord, 'code' | 'cause'> {
  if (error === undefined) return {};
  const isExplained = cause === undefined || !UNEXPLAINED.has(error.code);
  return { code: error.code, ...(isExplained ? {} : { cause: redactedStart(describeCause(cause), MAX_TEXT, redact) }) };
}

/** Returns the built-in guard that blocked a call. A command that could not be parsed met no guard. */
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

/** Maximum number of characters of an argument of a command in its record. */
const MAX_ARGUMENT = 4_096;

function withoutSecrets({ argv, ...rest }: CommandRecord, redact: Redact): CommandRecord {
  return { argv: argv.map((word) => redactedStart(word, MAX_ARGUMENT, redact)), ...rest };
}

/** A start that was added to the log. */
interface Started {
  /** Its number in the log; undefined until it is written. */
  sequence: number | undefined;
}

/**
 * Records calls in the audit log. The log is opened with the first call, and opening is retried with each
 * call: reading must continue to work if the state folder cannot be written.
 */
export class CallAudit implements Disposable {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #redact: Redact;
  readonly #started = new WeakMap<RequestedCall['state'], Started>();
  /** Read calls whose start is not written yet, with their input. */
  readonly #waiting = new Map<RequestedCall['state'], { readonly call: RequestedCall; readonly input: unknown }>();
  readonly #batch = new AuditBatch((records) => void this.#open().appendAll(records));
  #endOfTurn: NodeJS.Immediate | undefined;
  #log: AuditLog | undefined;
  #process: string | undefined;
  #closed = false;

  constructor(stateFolder: string, root: string, redact: Redact) {
    this.#stateFolder = stateFolder;
    this.#root = root;
    this.#redact = redact;
  }

  /**
   * Records a call before any of it runs. Returns the error if that fails.
   *
   * A read call may wait for the next turn of the event loop. If it has ended by then, as most have, its
   * start is written with its end, which halves the cost. A read has no effect, so losing the start is harmless.
   */
  start(call: StartedCall): SynapseError | undefined {
    if (call.tool.effects !== 'read') {
      return this.#attempt(() => {
        let failure: SynapseError | undefined;
        this.#addStart(call, call.arguments, (own) => (failure = own));
        this.#batch.flush();
        return failure;
      });
    }
    this.#waiting.set(call.state, { call, input: call.arguments });
    this.#endOfTurn ??= setImmediate(() => {
      this.#endOfTurn = undefined;
      if (this.#waiting.size === 0) return;
      this.#attempt(() => {
        this.#addStarts();
        this.#batch.flush();
        return undefined;
      });
    });
    return undefined;
  }

  /** Records the end of a call, and also the start if it is not written yet. Returns the error if that fails. */
  async end(call: RequestedCall, outcome: CallOutcome): Promise<SynapseError | undefined> {
    try {
      return await this.#batch.write(this.#endOf(call, outcome));
    } catch (error) {
      return toSynapseError(error);
    } finally {
      this.#closeLate();
    }
  }

  /** As {@link end}, without waiting for other calls. */
  endNow(call: RequestedCall, outcome: CallOutcome): SynapseError | undefined {
    return this.#attempt(() => this.#batch.writeNow(this.#endOf(call, outcome)));
  }

  /** Returns the one-line summary of a call, made from arguments without secrets. */
  summary(summarize: (input: Record<string, unknown>) => string, input: Record<string, unknown>): string {
    try {
      return summarize(summaryArguments(input, this.#redact));
    } catch {
      // Without its secret an argument may be invalid, for example an address. Summarize the original and redact the result.
      return this.#redact(summarize(input));
    }
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    clearImmediate(this.#endOfTurn);
    this.#batch[Symbol.dispose]();
    this.#log?.[Symbol.dispose]();
    this.#log = undefined;
  }

  /** Creates the record of a start, which tells its sequence number when it is written. */
  #startOf(call: RequestedCall, input: unknown, started: Started): MakeRecord {
    // Everything that can fail is done here, so that it fails no other call.
    const record: UnlinkedRecord = {
      type: 'start',
      ...identity(call, this.#redact),
      project: this.#root,
      process: (this.#process ??= processIdentity()),
      arguments: describeArguments(input, this.#redact),
    };
    return (sequence) => {
      started.sequence = sequence;
      return record;
    };
  }

  #addStart(call: RequestedCall, input: unknown, settle: (failure: SynapseError | undefined) => void): void {
    const started: Started = { sequence: undefined };
    this.#batch.add([this.#startOf(call, input, started)], (failure) => {
      // Then it is written with the end, and a failure of that is reported.
      if (failure !== undefined) this.#started.delete(call.state);
      settle(failure);
    });
    this.#started.set(call.state, started);
  }

  /** Adds the starts that wait. */
  #addStarts(): void {
    for (const { call, input } of this.#waiting.values()) this.#addStart(call, input, () => {});
    this.#waiting.clear();
  }

  #endOf(call: RequestedCall, { meta, error, cause, bytes, job }: CallOutcome): MakeRecord[] {
    const { effects, permissions, decision, sandbox, resolved, changes, undo, appliedFrom, command } = call.state;
    const redact = this.#redact;
    const waiting = this.#waiting.get(call.state);
    this.#waiting.delete(call.state);
    const shown = {
      resources: listed(permissions, ({ action, resource }) => ({ action, resource: redactedStart(resource, MAX_TEXT, redact) })),
      resolved: listed(resolved, redact),
      changes: listed(changes, ({ path, to, ...rest }) => ({ ...rest, path: redact(path), ...(to === undefined ? {} : { to: redact(to) }) })),
    };
    const record: Omit<EndRecord, 'seq' | 'time' | 'prev' | 'hash'> = {
      type: 'end',
      // Set when it is written.
      start: 0,
      ...(job === undefined ? {} : { job }),
      ...identity(call, redact),
      ok: error === undefined,
      ...failureOf(error, cause, redact),
      ...guardOf(error),
      completion: meta.completion,
      summary: redactedStart(meta.summary, MAX_TEXT, redact),
      duration_ms: Math.round(meta.durationMs * 1_000) / 1_000,
      result_bytes: bytes,
      ...(effects === undefined ? {} : { effects }),
      ...(permissions.length === 0 ? {} : { resources: [...shown.resources.kept] }),
      ...(resolved.size === 0 ? {} : { resolved: [...shown.resolved.kept] }),
      ...decision,
      // The rule for a single command contains the whole command.
      ...(decision.rule === undefined ? {} : { rule: redactedStart(decision.rule, MAX_TEXT, redact) }),
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(undo === undefined ? {} : { undo }),
      ...(appliedFrom === undefined ? {} : { applied_from: appliedFrom }),
      ...(command === undefined || error !== undefined ? {} : { command: withoutSecrets(command, redact) }),
      ...(changes.length === 0 ? {} : { changes: [...shown.changes.kept] }),
      ...more(shown),
    };
    // These calls outlast this one, so they are slow. A caller that never yields to the event loop must not hide them.
    this.#addStarts();
    const started = this.#started.get(call.state) ?? { sequence: undefined };
    const end: MakeRecord = (sequence) => ({ ...record, start: started.sequence ?? sequence });
    if (this.#started.has(call.state)) return [end];
    return [this.#startOf(call, waiting === undefined ? call.input : waiting.input, started), end];
  }

  #open(): AuditLog {
    return (this.#log ??= AuditLog.open(this.#stateFolder, this.#root));
  }

  #attempt(work: () => SynapseError | undefined): SynapseError | undefined {
    try {
      return work();
    } catch (error) {
      return toSynapseError(error);
    } finally {
      this.#closeLate();
    }
  }

  /** Closes the log after a call that ended after the hands were closed. */
  #closeLate(): void {
    if (this.#closed) this[Symbol.dispose]();
  }
}
