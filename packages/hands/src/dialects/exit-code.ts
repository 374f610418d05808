import { constants } from 'node:os';

const SIGNALS: Readonly<Record<string, number>> = constants.signals;
/** As GNU `timeout` has it. */
const TIMED_OUT = 124;

/** The exit code of a command as a shell tells it: 128 and the number of the signal that ended it, 124 for a timeout. */
export function shellExitCode(ended: { exit_code: number | null; signal: string | null; timed_out: boolean }): number {
  if (ended.timed_out) return TIMED_OUT;
  return ended.exit_code ?? 128 + (SIGNALS[ended.signal ?? ''] ?? 0);
}
