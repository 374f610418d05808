import type { ControlGroups } from './control-groups.ts';
import type { NamedRunOptions } from './named-run.ts';
import { openNetwork } from './network/sandbox-network.ts';
import { DEFAULT_RESOURCE_LIMITS } from './resource-limits.ts';
import { removeAbandonedRuns, RunFolders } from './run-folder.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { SandboxProcesses } from './sandbox-processes.ts';
import type { Tier } from './tier.ts';

/** Opens the sandbox of a tier without namespaces, and removes what killed processes left of earlier ones. */
export async function openNamedTier(
  options: SandboxOptions,
  groups: Promise<ControlGroups | undefined>,
  tierOf: (own: NamedRunOptions) => Omit<Tier, 'end'>,
): Promise<SandboxProcesses> {
  const { policy, runsFolder, edge } = options;
  const wanted = policy.network ?? 'off';
  const [network, opened] = await Promise.all([openNetwork(wanted === 'on' ? 'on' : 'off'), groups]);
  if (runsFolder !== undefined) await removeAbandonedRuns(runsFolder);
  const support = { network, groups: opened, limits: { ...DEFAULT_RESOURCE_LIMITS, ...policy.limits }, hasOwnTable: false };
  const secrets = async () => (edge?.exist() === true ? await edge.secrets() : []);
  // Commands with hosts say so anyway.
  const isNarrowed = wanted !== 'on' && wanted !== 'off';
  const folders = new RunFolders(runsFolder);
  const tier = tierOf({ folders, isNarrowed, secrets: isNarrowed ? undefined : secrets });
  return await SandboxProcesses.openTier(options, support, { ...tier, end: async () => await folders[Symbol.asyncDispose]() });
}
