import { count, list, parsed } from '../command/option.ts';

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;
/** Milliseconds until a connected machine in another process has noticed a new grant. */
export const NOTICED_MS = 1_200;

/** Options of commands that give a device permissions. */
export const grantOptions = {
  tools: list('<list>', 'on the machine: what the device may call (default: all)'),
  approves: list('<list>', 'on the machine: tools whose calls it may approve itself'),
  maxRunning: parsed('<number>', 'on the machine: calls at once (default: 4)', count(4), { rare: true }),
  expires: parsed('<days>', 'on the machine: days until its access ends (default: 90)', count(90, 'a number of days'), { rare: true }),
} as const;
