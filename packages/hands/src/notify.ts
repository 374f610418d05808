/** A warning reaches whoever wrote the listener without ending the process. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/**
 * Tells a listener. Whether it throws or, being asynchronous, rejects: that must not break the call it hears of, nor keep
 * others from hearing, and without this a rejection would end the process.
 */
export function notify<Given extends readonly unknown[]>(listener: (...given: Given) => unknown, ...given: Given): void {
  try {
    const told = listener(...given);
    if (told instanceof Promise) told.catch(warn);
  } catch (error) {
    warn(error);
  }
}
