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
