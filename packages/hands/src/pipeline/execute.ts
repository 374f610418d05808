import { isSynapseError, SynapseError } from '@synapse/protocol';
import { afterRunning, type PassingTime } from '../events/timing.ts';
import { DEFAULT_LIMITS, type Limits } from '../output/limits.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolOutput } from '../tool/tool.ts';
import type { CallRuntime } from './call-runtime.ts';
import type { AuthorizedCall, DryRunOutcome, ExecutedCall, RunningCall } from '../call/call.ts';

/** How long an aborted tool may take to end what it started, in milliseconds. */
const SETTLE_MS = 8_000;

/** Settles with the tool or, if the tool ignores its signal, some time after the abort. */
async function settled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => reject(signal.reason), SETTLE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, stuck]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Of two errors, one why a tool ended and one of what it then could not take back, the second says more. */
function decisive(thrown: unknown): unknown {
  try {
    // By its name: older versions of Node have no such class.
    const isBoth = thrown instanceof Error && thrown.name === 'SuppressedError' && 'error' in thrown && isSynapseError(thrown.error);
    return isBoth ? thrown.error : thrown;
  } catch {
    // A proxy that throws.
    return thrown;
  }
}

/** Runs the tool. A partial answer after the deadline counts if the tool returns one. */
export async function execute(call: RunningCall, ctx: ToolContext): Promise<ExecutedCall> {
  call.signal.throwIfAborted();
  let output: ToolOutput<unknown>;
  try {
    output = await settled(call.tool.execute(call.arguments, ctx), call.signal);
  } catch (thrown) {
    const error = decisive(thrown);
    // After an abort, the abort is the cause of any error, unless the tool names a better one.
    if (call.signal.aborted && !(isSynapseError(error) && error !== call.signal.reason)) throw call.signal.reason;
    throw error;
  }
  if (call.signal.aborted && isSynapseError(call.signal.reason) && call.signal.reason.code === 'cancelled') throw call.signal.reason;
  const parsed = call.tool.output.safeParse(output.data);
  if (!parsed.success) {
    throw new SynapseError('internal', `${call.tool.name} gave an answer of the wrong form.`, { cause: parsed.error });
  }
  const { content, contentBytes, note, truncation, sandbox } = output;
  return { ...call, data: parsed.data, content, contentBytes, note, truncation, sandbox };
}

/** The limits of an answer: of the call, or else of the hands, or else of the tool, but never above those of its reader. */
function limitsOf({ tool, options: { limits: own, readerLimits = {} } }: AuthorizedCall, ofHands: Partial<Limits>): Limits {
  const { outputBytes, outputLines, lineCharacters } = { ...DEFAULT_LIMITS, ...tool.limits, ...ofHands, ...own };
  return {
    outputBytes: Math.min(outputBytes, readerLimits.outputBytes ?? Infinity),
    outputLines: Math.min(outputLines, readerLimits.outputLines ?? Infinity),
    lineCharacters: Math.min(lineCharacters, readerLimits.lineCharacters ?? Infinity),
  };
}

/** Milliseconds that a call may take. */
interface CallTime {
  readonly milliseconds: number;
  /** As often as it is renewed. */
  readonly most: number;
}

/** The end of the time of a call. A machine that stands still for seconds, or questions to a person, do not bring it nearer. */
export class Deadline implements Disposable {
  readonly #time: CallTime;
  readonly #expire: (within: number) => void;
  readonly #startedAt = performance.now();
  #within: number;
  #passing: PassingTime;
  /** Questions that are open, since when, and what was left then. */
  #questions = 0;
  #since = 0;
  #left = 0;
  /** Milliseconds of earlier questions. */
  #asked = 0;
  #isOver = false;

  /** @param expire is called when the time is over, with what it was */
  constructor(time: CallTime, expire: (within: number) => void) {
    this.#time = time;
    this.#expire = expire;
    this.#within = time.milliseconds;
    this.#passing = this.#pass(time.milliseconds);
  }

  /** Restarts it, where that gives more time. */
  renew(): void {
    const { milliseconds, most } = this.#time;
    if (most <= milliseconds || this.#isOver) return;
    const now = performance.now();
    const open = this.#questions > 0 ? now - this.#since : 0;
    const rest = Math.max(0, most - (now - this.#startedAt - this.#asked - open));
    this.#within = rest > milliseconds ? milliseconds : most;
    this.#left = Math.min(rest, milliseconds);
    if (this.#questions > 0) return;
    this.#passing[Symbol.dispose]();
    this.#passing = this.#pass(this.#left);
  }

  /** Stops it while a question waits. Several may wait at once. */
  suspend(): Disposable {
    this.#questions += 1;
    if (this.#questions === 1) {
      this.#since = performance.now();
      this.#left = this.#passing.left();
      this.#passing[Symbol.dispose]();
    }
    return {
      [Symbol.dispose]: () => {
        this.#questions -= 1;
        if (this.#questions > 0) return;
        this.#asked += performance.now() - this.#since;
        // A question about a request of a job may outlive its call.
        if (!this.#isOver) this.#passing = this.#pass(this.#left);
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#passing[Symbol.dispose]();
  }

  #pass(milliseconds: number): PassingTime {
    return afterRunning(milliseconds, () => {
      this.#isOver = true;
      this.#expire(this.#within);
    });
  }
}

/**
 * Adds the limits of a call's answer and its deadline, which ends it as do the caller's signal and the end of the hands. Dispose
 * it when the call has ended. Sets the listeners itself: `AbortSignal.any` takes 10 µs per call.
 */
export function withLimits(call: AuthorizedCall, { limits, closing }: Pick<CallRuntime, 'limits' | 'closing'>): RunningCall & Disposable {
  const { tool, options } = call;
  const signals = options.signal === undefined ? [closing] : [closing, options.signal];
  const own = typeof tool.timeoutMs === 'number' ? tool.timeoutMs : tool.timeoutMs(call.arguments);
  const milliseconds = Math.min(own, options.timeoutMs ?? own);
  const most = Math.min(tool.renewableMs ?? milliseconds, options.timeoutMs ?? Number.POSITIVE_INFINITY);
  const controller = new AbortController();
  const deadline = new Deadline({ milliseconds, most }, (within) => {
    controller.abort(
      new SynapseError('timeout', `${tool.name} did not finish within ${within} ms and was stopped.`, {
        hint: 'Request less at once, or a longer time-out if the tool has one.',
      }),
    );
  });
  const cancel = (): void => {
    deadline[Symbol.dispose]();
    controller.abort(new SynapseError('cancelled', `${tool.name} was cancelled.`));
  };
  if (signals.some(({ aborted }) => aborted)) cancel();
  else for (const signal of signals) signal.addEventListener('abort', cancel, { once: true });
  return {
    ...call,
    signal: controller.signal,
    limits: limitsOf(call, limits),
    renew: () => deadline.renew(),
    suspend: () => deadline.suspend(),
    [Symbol.dispose]() {
      deadline[Symbol.dispose]();
      for (const signal of signals) signal.removeEventListener('abort', cancel);
    },
  };
}

/** Applies exactly the changes that were approved. The answer is that of the dry run. */
export async function applyChanges(
  call: RunningCall,
  { effect, command, executed }: DryRunOutcome,
  { workspace }: ToolContext,
): Promise<ExecutedCall> {
  if (effect.blocked !== undefined) throw notApplied(effect.blocked);
  try {
    const undo = (await command?.apply(workspace)) ?? true;
    call.state.undo = undo === true ? 'covered' : 'not covered';
  } catch (error) {
    if (!isSynapseError(error) || error.code !== 'conflict') throw error;
    const { path, problem } = error.details ?? {};
    throw typeof path === 'string' && typeof problem === 'string' ? notApplied(`${path} ${problem}`) : error;
  }
  call.state.appliedFrom = 'copy';
  return { ...executed, ...call };
}

/** The error if the approved changes can no longer be applied. No other changes may be applied instead. */
function notApplied(why: string): SynapseError {
  return new SynapseError('conflict', `What was tried was not applied: ${why}. Nothing was changed.`, {
    hint: 'Repeat the call: it runs again on the current files.',
    retryable: true,
  });
}
