import type { ConsoleTimelineCall } from '@synapse/protocol/console';

/** The place of a call in the time that is shown, in percent. */
export interface Span {
  readonly left: number;
  readonly width: number;
  /** Milliseconds between the end of all calls before it and its start, in which no call ran. */
  readonly waited: number;
}

/** The narrowest bar, in percent: a short call has to be seen, too. */
const MIN_WIDTH = 0.6;

type Timed = Pick<ConsoleTimelineCall, 'time' | 'ms' | 'status'>;

/** The end of a call: of one that runs, it is now; of one that was interrupted, it is not known. */
const endOf = ({ time, ms, status }: Timed, now: number): number => time + (ms ?? (status === 'running' ? Math.max(0, now - time) : 0));

/** Places calls between the start of the first and the end of the last. */
export function spansOf(calls: readonly Timed[], now: number): Span[] {
  const start = Math.min(...calls.map(({ time }) => time));
  const end = Math.max(...calls.map((call) => endOf(call, now)));
  const whole = Math.max(1, end - start);
  let busyUntil = start;
  return calls.map((call) => {
    const width = Math.min(100, Math.max(MIN_WIDTH, ((endOf(call, now) - call.time) / whole) * 100));
    const left = Math.min(100 - width, ((call.time - start) / whole) * 100);
    const waited = Math.max(0, call.time - busyUntil);
    busyUntil = Math.max(busyUntil, endOf(call, now));
    return { left, width, waited };
  });
}
