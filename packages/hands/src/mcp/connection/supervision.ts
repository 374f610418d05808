/** How a connection stands. `failures` counts those in a row. */
export type Supervised =
  /** Nobody has wanted it yet. */
  | { readonly kind: 'idle'; readonly failures: number }
  | { readonly kind: 'connecting'; readonly failures: number }
  | { readonly kind: 'ready'; readonly failures: number; readonly since: number }
  /** It will be tried again by itself, `at` then. */
  | { readonly kind: 'waiting'; readonly failures: number; readonly reason: string; readonly at: number }
  /** It is tried again only when somebody wants it. */
  | { readonly kind: 'failed'; readonly failures: number; readonly reason: string }
  | { readonly kind: 'stopped'; readonly failures: number };

/** What happens to a connection. Times are milliseconds of a clock that never goes back. */
export type SupervisionEvent =
  | { readonly type: 'wanted' }
  | { readonly type: 'connected'; readonly at: number }
  /** `lasting`: the same attempt would fail in the same way. */
  | { readonly type: 'refused'; readonly at: number; readonly reason: string; readonly lasting: boolean }
  | { readonly type: 'lost'; readonly at: number; readonly reason: string }
  | { readonly type: 'due' }
  | { readonly type: 'stop' };

/** What is to be done about it. */
export type SupervisionEffect =
  | { readonly do: 'connect' }
  | { readonly do: 'wait'; readonly milliseconds: number }
  /** End what there is: the connection, the attempt, the waiting. */
  | { readonly do: 'close' };

export interface SupervisionStep {
  readonly state: Supervised;
  readonly effects: readonly SupervisionEffect[];
}

/** The first wait; each further failure doubles it. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** After so many failures in a row it is no accident. */
export const MAX_FAILURES = 10;
/** A connection that lived so long starts with a clean slate. */
const STABLE_MS = 60_000;

/**
 * The time before the next attempt.
 *
 * @param random from 0 to 1: many clients of one server must not come back at one stroke
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

/** What becomes of a connection when something happens to it. Pure: the edge does what comes out. */
export function supervise(state: Supervised, event: SupervisionEvent, random: number): SupervisionStep {
  const { failures } = state;
  if (state.kind === 'stopped') return stay(state);
  switch (event.type) {
    case 'stop':
      return { state: { kind: 'stopped', failures }, effects: [{ do: 'close' }] };
    case 'wanted':
      // What waits has its time: whoever wants it is told to come back.
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
