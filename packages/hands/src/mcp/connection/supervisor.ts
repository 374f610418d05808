import { SynapseError, toSynapseError } from '@synapse/protocol';
import { supervise, type Supervised, type SupervisionEvent } from './supervision.ts';

/** What a supervisor keeps alive. */
export interface SupervisorParts<Held extends AsyncDisposable> {
  /** How the thing is called in errors. */
  readonly name: string;
  /** Makes one; `onLost` is to be told once it is of no use any more. Must leave nothing behind where it throws. */
  readonly open: (signal: AbortSignal, onLost: (reason: string) => void) => Promise<Held>;
  /** How long that may take, in milliseconds. */
  readonly openMs: number;
  readonly onState: (state: Supervised) => void;
}

/** Keeps a connection: makes it when it is wanted, and again when it is lost. All decisions are those of {@link supervise}. */
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

  /** What made the last attempt fail. */
  get failure(): SynapseError | undefined {
    return this.#failure;
  }

  /** Starts what nobody has wanted yet; returns at once. */
  want(): void {
    this.#happened({ type: 'wanted' });
  }

  /** Settles once it is known whether there is a connection: at once, unless it is just being made. */
  async settled(): Promise<void> {
    while (this.#state.kind === 'connecting') await new Promise<void>((resolve) => void this.#watchers.add(resolve));
  }

  /**
   * What is kept. Waits for an attempt that is under way, but not for the next one.
   *
   * @throws SynapseError `unavailable`, retryable where it comes back by itself
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

  /** Takes note that what was got is of no use any more. */
  lose(held: Held, reason: string): void {
    if (held === this.#held) this.#happened({ type: 'lost', at: performance.now(), reason });
  }

  /** Ends it for good; settles when nothing of it is left. */
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
        hint: `Repeat the call in ${seconds} s, or go on without it.`,
      });
    }
    if (state.kind === 'failed') {
      return new SynapseError('unavailable', `The MCP server ${name} cannot be used: it ${state.reason}.`, {
        hint: `Go on without it. A person can see why: synapse mcp test ${name}.`,
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
        // A process that has nothing else to do need not wait for a server to come back.
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
    const timer = setTimeout(() => {
      attempt.abort(new SynapseError('timeout', `The MCP server ${name} did not say hello within ${openMs / 1_000} s.`));
    }, openMs);
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
    } finally {
      clearTimeout(timer);
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
        // Nobody waits for it who could be told, and the connection is over either way.
        process.emitWarning(error instanceof Error ? error : String(error));
      })
      .finally(() => void this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }
}

/** The sentence about a server without the words that name it, so that it can go on after them. */
function reasonOf({ message }: SynapseError, name: string): string {
  const before = `The MCP server ${name} `;
  return (message.startsWith(before) ? message.slice(before.length) : `failed: ${message}`).replace(/\.$/u, '');
}
