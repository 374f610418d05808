import { SynapseError } from '@synapse/protocol';
import { openNamedTier } from '../open-named-tier.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import type { SandboxProcesses } from '../sandbox-processes.ts';
import { findSeatbelt, type FoundSeatbelt } from './find-seatbelt.ts';
import { seatbeltTier } from './prepared-seatbelt-run.ts';

/**
 * Opens a sandbox with Seatbelt.
 *
 * @throws SynapseError `unavailable` if it does not work here
 */
export async function openSeatbelt(options: SandboxOptions, given?: FoundSeatbelt): Promise<SandboxProcesses> {
  const seatbelt = given ?? (await findSeatbelt());
  if ('problem' in seatbelt) {
    throw new SynapseError('unavailable', `No sandbox for commands is available: ${seatbelt.problem}.`, {
      hint: 'Work on Linux, in a container or a virtual machine, or permit commands without a sandbox explicitly.',
    });
  }
  return await openNamedTier(options, Promise.resolve(undefined), (own) => seatbeltTier({ ...own, seatbelt }));
}
