import { assertOpen } from '../pipeline/check-permissions.ts';

/** A value that is created on first use. */
export interface Lazy<T> {
  /** @throws SynapseError `unavailable` if the hands were closed before it was created */
  get(): T;
  /** The value; undefined before the first use. */
  readonly made: T | undefined;
}

/** Creates a value on first use. If it was created, the stack disposes it, at the position of this call. */
export function lazy<T extends Partial<Disposable & AsyncDisposable>>(stack: AsyncDisposableStack, closing: AbortSignal, make: () => T): Lazy<T> {
  let made: T | undefined;
  stack.defer(async () => {
    await (made?.[Symbol.asyncDispose]?.() ?? made?.[Symbol.dispose]?.());
  });
  return {
    get() {
      if (made !== undefined) return made;
      assertOpen(closing);
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
