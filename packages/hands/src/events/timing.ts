import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

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

/** Whether a promise settles before the time is over. @param signal ends the wait early */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  const waiting = new AbortController();
  using _following = signal === undefined ? undefined : follow(signal, waiting);
  const late = delay(milliseconds, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
