import { constants } from 'node:os';

const SIGNALS: Readonly<Record<string, number>> = constants.signals;
/** The exit code of GNU `timeout`. */
const TIMED_OUT = 124;

/** Returns the exit code as a shell reports it: 128 plus the signal that ended the command, 124 for a time-out. */
export function shellExitCode(ended: { exit_code: number | null; signal: string | null; timed_out: boolean }): number {
  if (ended.timed_out) return TIMED_OUT;
  return ended.exit_code ?? 128 + (SIGNALS[ended.signal ?? ''] ?? 0);
}
