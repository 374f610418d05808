/** Lines of a stack that lead to where it broke; the rest is how it got there. */
const STACK_LINES = 6;

/** What lies behind a failure, in text, for whoever reads the log. Never throws: what was thrown may be anything. */
export function describeCause(cause: unknown): string {
  try {
    if (!(cause instanceof Error)) return String(cause);
    return (cause.stack ?? `${cause.name}: ${cause.message}`).split('\n').slice(0, STACK_LINES).join('\n');
  } catch {
    return '[unreadable]';
  }
}
