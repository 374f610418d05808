import { speedup, type Timing } from './measure.ts';
import { time, type Row } from './result.ts';

/** What round trips are compared with. */
export interface Compared {
  readonly group: string;
  readonly peer: Timing | undefined;
  readonly peerName: string;
  /** The target: at most this multiple of the peer's time. */
  readonly atMost: number;
}

/** Returns a function that makes the row of a round trip. */
export function roundTripRow({ group, peer, peerName, atMost }: Compared): (what: string, ours: Timing | undefined) => Row {
  return (what, ours) => {
    const ratio = 1 / speedup(ours, peer);
    return {
      group,
      what,
      ours: `${time(ours?.median ?? NaN)} (p99 ${time(ours?.p99 ?? NaN)})`,
      peer: `${time(peer?.median ?? NaN)} (${peerName})`,
      compared: `${ratio.toFixed(2)}×`,
      target: `≤ ${atMost}×`,
      met: ratio <= atMost,
    };
  };
}
