/** Milliseconds by which clocks may differ unnoticed. Codes and grants live for longer. */
const TOLERATED_MS = 120_000;

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function durationText(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, one]) => milliseconds >= 2 * one) ?? UNITS[2];
  return `${Math.round(milliseconds / size)} ${unit}s`;
}

/**
 * Tells users that their clock differs from that of the relay, and what to do; empty if it does not.
 *
 * @param skewMs milliseconds by which the clock here is ahead
 */
export function clockText(skewMs: number): string {
  if (Math.abs(skewMs) < TOLERATED_MS) return '';
  const way = skewMs > 0 ? 'ahead of' : 'behind';
  return (
    ` The clock of this machine is ${durationText(Math.abs(skewMs))} ${way} the relay's: set the one that is wrong. ` +
    'Until then, grants and codes may count as expired.'
  );
}
