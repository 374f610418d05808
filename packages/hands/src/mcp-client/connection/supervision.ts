/** State of a connection. `failures` counts consecutive ones. */
export type Supervised =
  /** Not requested yet. */
  | { readonly kind: 'idle'; readonly failures: number }
  | { readonly kind: 'connecting'; readonly failures: number }
  | { readonly kind: 'ready'; readonly failures: number; readonly since: number }
  /** Will be retried automatically, at `at`. */
  | { readonly kind: 'waiting'; readonly failures: number; readonly reason: string; readonly at: number }
  /** Will be retried only on request. */
  | { readonly kind: 'failed'; readonly failures: number; readonly reason: string }
  | { readonly kind: 'stopped'; readonly failures: number };

/** An event of a connection. Times are milliseconds of a monotonic clock. */
export type SupervisionEvent =
  | { readonly type: 'wanted' }
  | { readonly type: 'connected'; readonly at: number }
  /** `lasting`: the same attempt would fail in the same way. */
  | { readonly type: 'refused'; readonly at: number; readonly reason: string; readonly lasting: boolean }
  | { readonly type: 'lost'; readonly at: number; readonly reason: string }
  | { readonly type: 'due' }
  | { readonly type: 'stop' };

/** An action to take. */
export type SupervisionEffect =
  | { readonly do: 'connect' }
  | { readonly do: 'wait'; readonly milliseconds: number }
  /** Ends the connection, the attempt or the wait. */
  | { readonly do: 'close' };

export interface SupervisionStep {
  readonly state: Supervised;
  readonly effects: readonly SupervisionEffect[];
}

/** Milliseconds of the first wait; doubles with each further failure. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** Consecutive failures after which retries stop. */
export const MAX_FAILURES = 10;
/** Milliseconds after which a connection resets the failure count. */
const STABLE_MS = 60_000;

/**
 * Returns the milliseconds until the next attempt.
 *
 * @param random from 0 to 1, so that many clients of a server do not reconnect at the same time
 */
export function backOff(failures: number, random: number): number {
  const whole = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(whole * (0.5 + random / 2));
}

const stay = (state: Supervised): SupervisionStep => ({ state, effects: [] });

function again(failures: number, at: number, reason: string, random: number, close: boolean): SupervisionStep {
  const closing: readonly SupervisionEffect[] = close ? [{ do: 'close' }] : [];
  if (failures >= MAX_FAILURES) return { state: { kind: 'failed', failures, reason }, effects: closing };
  const milliseconds = backOff(failures, random);
  return { state: { kind: 'waiting', failures, reason, at: at + milliseconds }, effects: [...closing, { do: 'wait', milliseconds }] };
}

/** Returns the next state of a connection and the actions to take. Pure: the caller performs the actions. */
export function supervise(state: Supervised, event: SupervisionEvent, random: number): SupervisionStep {
  const { failures } = state;
  if (state.kind === 'stopped') return stay(state);
  switch (event.type) {
    case 'stop':
      return { state: { kind: 'stopped', failures }, effects: [{ do: 'close' }] };
    case 'wanted':
      // A waiting connection keeps its time; callers get a retryable error.
      return state.kind === 'idle' || state.kind === 'failed'
        ? { state: { kind: 'connecting', failures }, effects: [{ do: 'connect' }] }
        : stay(state);
    case 'due':
      return state.kind === 'waiting' ? { state: { kind: 'connecting', failures }, effects: [{ do: 'connect' }] } : stay(state);
    case 'connected':
      return state.kind === 'connecting' ? stay({ kind: 'ready', failures, since: event.at }) : stay(state);
    case 'refused':
      if (state.kind !== 'connecting') return stay(state);
      if (event.lasting) return stay({ kind: 'failed', failures: failures + 1, reason: event.reason });
      return again(failures + 1, event.at, event.reason, random, false);
    case 'lost':
    default:
      if (state.kind !== 'ready') return stay(state);
      return again(event.at - state.since >= STABLE_MS ? 1 : failures + 1, event.at, event.reason, random, true);
  }
}
