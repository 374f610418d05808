/** Milliseconds after which a call counts as late: hands send `tool_accepted`, and a relay writes it down. Most calls have ended by then. */
export const SETTLE_MS = 25;
/** Milliseconds in which a brain collects results to confirm them together. */
export const CONFIRM_MS = 10;
/** Maximum number of results that one frame confirms. */
export const MAX_CONFIRMED = 64;
