import { SynapseError } from '@synapse/protocol';
import { RUN_MODES } from '../../modes/run-modes.ts';
import { openNamedRun, type NamedRunOptions } from '../named-run.ts';
import type { PreparedRun, Run } from '../run.ts';
import type { Tier } from '../tier.ts';
import { MAX_PROFILE, type Seatbelt } from './find-seatbelt.ts';
import { MACHINE_PLACES } from './machine-places.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

/** The sentence for each result. */
const NOTE =
  'Confined by Seatbelt, which Synapse was not tested with on a Mac: it sees that other files exist, and nothing but the limit of each process bounds its memory';

/** What the tier needs besides what every run of the sandbox has. */
export interface SeatbeltTierParts extends NamedRunOptions {
  readonly seatbelt: Seatbelt;
}

/** Confines commands with a profile of Seatbelt. */
export const seatbeltTier = (own: SeatbeltTierParts): Tier => ({
  name: 'seatbelt',
  program: own.seatbelt.program,
  copies: 'clone',
  prepare: async (parts, request, overlay, use) => await prepareSeatbeltRun(own, { parts, request, overlay, use, facts: RUN_MODES[use.mode] }),
});

async function prepareSeatbeltRun(own: SeatbeltTierParts, run: Run): Promise<PreparedRun> {
  const { request } = run;
  request.onNote?.(NOTE);
  await using stack = new AsyncDisposableStack();
  const { places, hasNetwork: network, cwd, environment, prepared } = await openNamedRun(own, run, stack);
  const profile = seatbeltProfile({ places: [...MACHINE_PLACES, ...places], network });
  if (profile.length > MAX_PROFILE) {
    throw new SynapseError('too_large', 'The rules name too many places for one profile of Seatbelt.', {
      hint: 'Make them name folders instead of files.',
    });
  }
  const opened = stack.move();
  return {
    ...prepared,
    argv: own.seatbelt.wrap([request.argv[0], ...request.argv.slice(1)], profile, cwd),
    environment,
    handles: [],
    // What it leaves running keeps its profile, and is ended by the process runner.
    leftRunning: () => undefined,
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
