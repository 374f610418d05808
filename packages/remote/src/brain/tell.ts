/** Browsers and Workers have it; the types of Node do not know it. */
declare const reportError: (error: unknown) => void;

/** Reports an error to the author of a listener: as a warning in Node, and as an uncaught error that ends nothing in browsers and Workers. */
function report(error: unknown): void {
  if ('process' in globalThis && typeof process.emitWarning === 'function') process.emitWarning(error instanceof Error ? error : String(error));
  else reportError(error);
}

/**
 * Calls a listener of the agent. Its error or rejection must not break a call, skip other listeners, or stop the connection
 * in the middle of an event.
 */
export function tell<Given extends readonly unknown[]>(listener: ((...given: Given) => unknown) | undefined, ...given: Given): void {
  try {
    const told = listener?.(...given);
    if (told instanceof Promise) told.catch(report);
  } catch (error) {
    report(error);
  }
}
