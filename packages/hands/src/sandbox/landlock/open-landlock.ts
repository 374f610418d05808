import { SynapseError } from '@synapse/protocol';
import { findControlGroups } from '../control-groups.ts';
import { openNamedTier } from '../open-named-tier.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import type { SandboxProcesses } from '../sandbox-processes.ts';
import { findLandlock, type FoundLandlock } from './find-landlock.ts';
import { landlockTier } from './prepared-landlock-run.ts';

/**
 * Opens a sandbox without namespaces.
 *
 * @throws SynapseError `unavailable` if Landlock does not work here
 */
export async function openLandlock(options: SandboxOptions, given?: FoundLandlock): Promise<SandboxProcesses> {
  const landlock = given ?? (await findLandlock(options.confinement.root));
  if ('problem' in landlock) {
    throw new SynapseError('unavailable', `No sandbox for commands is available: bubblewrap does not work, and ${landlock.problem}.`, {
      hint: `Install bubblewrap 0.8 or newer (Debian, Ubuntu: apt install bubblewrap), or permit commands without a sandbox explicitly.`,
    });
  }
  return await openNamedTier(options, findControlGroups(), (own) => landlockTier({ ...own, landlock }));
}
