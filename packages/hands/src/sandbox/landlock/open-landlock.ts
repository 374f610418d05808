import { SynapseError } from '@synapse/protocol';
import { findControlGroups } from '../control-groups.ts';
import { openNetwork } from '../network/sandbox-network.ts';
import { DEFAULT_RESOURCE_LIMITS } from '../resource-limits.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { SandboxProcesses } from '../sandbox-processes.ts';
import { findLandlock, type FoundLandlock } from './find-landlock.ts';
import { landlockTier } from './prepared-landlock-run.ts';
import { removeAbandonedRuns } from './run-folder.ts';

/**
 * Opens a sandbox without namespaces.
 *
 * @throws SynapseError `unavailable` if Landlock does not work here
 */
export async function openLandlock(options: SandboxOptions, given?: FoundLandlock): Promise<SandboxProcesses> {
  const { policy, runsFolder } = options;
  const found = given ?? (await findLandlock());
  if ('problem' in found) {
    throw new SynapseError('unavailable', `No sandbox for commands is available: bubblewrap does not work, and ${found.problem}.`, {
      hint: `Install bubblewrap 0.8 or newer (Debian, Ubuntu: apt install bubblewrap), or permit commands without a sandbox explicitly.`,
    });
  }
  const wanted = policy.network ?? 'off';
  const [network, groups] = await Promise.all([openNetwork(wanted === 'on' ? 'on' : 'off'), findControlGroups()]);
  if (runsFolder !== undefined) await removeAbandonedRuns(runsFolder);
  const support = { network, groups, limits: { ...DEFAULT_RESOURCE_LIMITS, ...policy.limits }, hasOwnTable: false };
  const { edge } = options;
  const isNarrowed = wanted !== 'on' && (wanted !== 'off' || edge?.exist() === true);
  const tier = landlockTier({ landlock: found, runsFolder, isNarrowed });
  return await SandboxProcesses.openTier(options, support, tier);
}
