import { SynapseError, toSynapseError } from '@synapse/protocol';
import { afterRunning } from '../../events/timing.ts';
import { supervise, type Supervised, type SupervisionEvent } from './supervision.ts';

/** What a supervisor keeps alive. */
export interface SupervisorParts<Held extends AsyncDisposable> {
  /** Name in errors. */
  readonly name: string;
  /** Opens a connection; it calls `onLost` once the connection is unusable. Must clean up if it throws. */
  readonly open: (signal: AbortSignal, onLost: (reason: string) => void) => Promise<Held>;
  /** Milliseconds until `open` must finish. */
  readonly openMs: number;
  readonly onState: (state: Supervised) => void;
}

/** Keeps a connection: opens it on request, and reopens it when it is lost. {@link supervise} makes all decisions. */
export class Supervisor<Held extends AsyncDisposable> {
  readonly #parts: SupervisorParts<Held>;
  readonly #ending = new Set<Promise<void>>();
  readonly #watchers = new Set<() => void>();
  #state: Supervised = { kind: 'idle', failures: 0 };
  #held: Held | undefined;
  #attempt: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: SynapseError | undefined;

  constructor(parts: SupervisorParts<Held>) {
    this.#parts = parts;
  }

  get state(): Supervised {
    return this.#state;
  }

  /** The error of the last failed attempt. */
  get failure(): SynapseError | undefined {
    return this.#failure;
  }

  /** Requests the connection; returns immediately. */
  want(): void {
    this.#happened({ type: 'wanted' });
  }

  /** Resolves when the state is known: immediately, unless an attempt is under way. */
  async settled(): Promise<void> {
    while (this.#state.kind === 'connecting') await new Promise<void>((resolve) => void this.#watchers.add(resolve));
  }

  /**
   * Returns the connection. Waits for a running attempt, but not for the next one.
   *
   * @throws SynapseError `unavailable`, retryable if the connection is retried automatically
   */
  async get(signal: AbortSignal): Promise<Held> {
    this.want();
    if (this.#state.kind === 'connecting') {
      const { promise: ended, reject } = Promise.withResolvers<never>();
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      try {
        await Promise.race([this.settled(), ended]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    }
    if (this.#held !== undefined && this.#state.kind === 'ready') return this.#held;
    throw this.#unavailable();
  }

  /** Reports a connection as unusable. */
  lose(held: Held, reason: string): void {
    if (held === this.#held) this.#happened({ type: 'lost', at: performance.now(), reason });
  }

  /** Ends it permanently; resolves when everything is closed. */
  async stop(): Promise<void> {
    this.#happened({ type: 'stop' });
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  #unavailable(): SynapseError {
    const { name } = this.#parts;
    const state = this.#state;
    if (state.kind === 'waiting') {
      const seconds = Math.max(1, Math.ceil((state.at - performance.now()) / 1_000));
      return new SynapseError('unavailable', `The MCP server ${name} ${state.reason}; it is started again in ${seconds} s.`, {
        retryable: true,
        hint: `Repeat the call in ${seconds} s, or continue without it.`,
      });
    }
    if (state.kind === 'failed') {
      return new SynapseError('unavailable', `The MCP server ${name} cannot be used: it ${state.reason}.`, {
        hint: `Continue without it. A person can see why: synapse mcp test ${name}.`,
      });
    }
    return new SynapseError('unavailable', `The MCP server ${name} was stopped.`);
  }

  #happened(event: SupervisionEvent): void {
    const before = this.#state;
    const { state, effects } = supervise(before, event, Math.random());
    this.#state = state;
    for (const effect of effects) {
      if (effect.do === 'connect') this.#connect();
      else if (effect.do === 'close') this.#close();
      else {
        this.#timer = setTimeout(() => this.#happened({ type: 'due' }), effect.milliseconds);
        // A process without other work should not wait for a server to return.
        this.#timer.unref();
      }
    }
    if (state === before) return;
    this.#parts.onState(state);
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher();
  }

  #connect(): void {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#track(this.#tryOnce(attempt));
  }

  async #tryOnce(attempt: AbortController): Promise<void> {
    const { name, open, openMs } = this.#parts;
    using _time = afterRunning(openMs, () => {
      attempt.abort(new SynapseError('timeout', `The MCP server ${name} did not say hello within ${openMs / 1_000} s.`));
    });
    let lostEarly: string | undefined;
    let held: Held | undefined;
    const onLost = (reason: string): void => {
      if (held === undefined || held !== this.#held) lostEarly ??= reason;
      else this.#happened({ type: 'lost', at: performance.now(), reason });
    };
    try {
      held = await open(attempt.signal, onLost);
      attempt.signal.throwIfAborted();
      if (lostEarly !== undefined) throw new SynapseError('unavailable', `The MCP server ${name} ${lostEarly}.`, { retryable: true });
      this.#failure = undefined;
      this.#held = held;
      this.#happened({ type: 'connected', at: performance.now() });
    } catch (error) {
      if (held !== undefined) await held[Symbol.asyncDispose]();
      const failure = toSynapseError(attempt.signal.aborted ? attempt.signal.reason : error);
      this.#failure = failure;
      const lasting = !failure.retryable && failure.code !== 'timeout';
      this.#happened({ type: 'refused', at: performance.now(), reason: reasonOf(failure, name), lasting });
    }
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#attempt?.abort(new SynapseError('cancelled', `The MCP server ${this.#parts.name} was stopped.`));
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#track(Promise.resolve(held[Symbol.asyncDispose]()));
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        // No caller waits for this, and the connection is over in any case.
        process.emitWarning(error instanceof Error ? error : String(error));
      })
      .finally(() => void this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }
}

/** Returns the error message without the leading name, so that it can follow the name. */
function reasonOf({ message }: SynapseError, name: string): string {
  const before = `The MCP server ${name} `;
  return (message.startsWith(before) ? message.slice(before.length) : `failed: ${message}`).replace(/\.$/u, '');
}
