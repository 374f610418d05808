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
