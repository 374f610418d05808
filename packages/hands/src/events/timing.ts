import { setImmediate as turn } from 'node:timers/promises';

/** A value that is created on first use. */
export interface Lazy<T> {
  /** Creates it if necessary. */
  get(): T;
  /** The value; undefined before the first use. */
  readonly made: T | undefined;
}

/**
 * Creates a value on first use. If it was created, the stack disposes it, at the position of this call.
 *
 * @param assertOpen throws if it is too late to create it
 */
export function lazy<T extends Partial<Disposable & AsyncDisposable>>(stack: AsyncDisposableStack, assertOpen: () => void, make: () => T): Lazy<T> {
  let made: T | undefined;
  stack.defer(async () => {
    await (made?.[Symbol.asyncDispose]?.() ?? made?.[Symbol.dispose]?.());
  });
  return {
    get() {
      if (made !== undefined) return made;
      assertOpen();
      return (made = make());
    },
    get made() {
      return made;
    },
  };
}

/** Caches the result of the first call of a function. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Maximum milliseconds for which a value is kept: a caller may never yield to the event loop. */
const FRESH_MS = 1;

/**
 * Shares what is read from the system among the calls of one turn of the event loop: in between, this process learns nothing new.
 * The function reads at most once a turn and a millisecond.
 */
export function onceATurn<T>(read: () => T): () => T {
  let kept: { readonly value: T; readonly until: number } | undefined;
  let isEnding = false;
  return () => {
    const now = performance.now();
    if (kept !== undefined && now < kept.until) return kept.value;
    const value = read();
    kept = { value, until: now + FRESH_MS };
    if (!isEnding) {
      isEnding = true;
      setImmediate(() => {
        isEnding = false;
        kept = undefined;
      });
    }
    return value;
  };
}

/** Milliseconds until other work gets a turn. */
const TURN_MS = 6;

/** Keeps long work from blocking the event loop: the work checks it regularly, and yields when its slice is over. */
export class TimeSlice {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Yields to other work. */
  async next(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}

/** Waits for a promise; the signal rejects the wait. */
export async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Aborts a controller with a signal until it is disposed. */
export function follow(signal: AbortSignal, controller: AbortController): Disposable {
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', abort) };
}

/** Number of parts in which a time passes, and milliseconds of the shortest one. */
const PARTS = 10;
const LEAST_PART_MS = 50;

/** A time that passes until it is disposed. */
export interface PassingTime extends Disposable {
  /** Milliseconds that are left. */
  left(): number;
}

/**
 * Calls back once this process has run for some time. Where the machine or the process stands still, or one thing keeps it busy, nothing
 * that is waited for can come, and a timer would be over before it: a part that takes more than twice as long counts as one part.
 */
export function afterRunning(milliseconds: number, callback: () => void): PassingTime {
  const part = Math.max(LEAST_PART_MS, milliseconds / PARTS);
  let rest = milliseconds;
  let since: number;
  let timer: NodeJS.Timeout;
  const counted = (planned: number): number => {
    const took = performance.now() - since;
    return took > planned + part ? planned : took;
  };
  const wait = (): void => {
    const planned = Math.min(rest, part);
    since = performance.now();
    timer = setTimeout(() => {
      // A timer may be a fraction of a millisecond early.
      rest -= Math.max(planned, counted(planned));
      if (rest > 0) wait();
      else callback();
    }, planned);
  };
  wait();
  return { left: () => Math.max(0, rest - counted(Math.min(rest, part))), [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Whether a promise settles before the time is over, in which this process runs. @param signal ends the wait early */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const onEnd = (): void => resolve(false);
  if (signal?.aborted === true) onEnd();
  else signal?.addEventListener('abort', onEnd, { once: true });
  using _time = afterRunning(milliseconds, onEnd);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    signal?.removeEventListener('abort', onEnd);
  }
}
