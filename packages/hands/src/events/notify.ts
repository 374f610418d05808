/** Reports an error to the author of the listener without ending the process. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/**
 * Calls a listener. Its error or rejection must not break the observed call or skip other listeners, and an
 * unhandled rejection would end the process.
 */
export function notify<Given extends readonly unknown[]>(listener: (...given: Given) => unknown, ...given: Given): void {
  try {
    const told = listener(...given);
    if (told instanceof Promise) told.catch(warn);
  } catch (error) {
    warn(error);
  }
}
