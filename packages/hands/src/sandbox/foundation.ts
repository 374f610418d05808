import { SynapseError } from '@synapse/protocol';
import { findControlGroups, type ControlGroups } from './control-groups.ts';
import { findBubblewrap, type Bubblewrap } from './find-bubblewrap.ts';
import { openNetwork, type SandboxNetwork } from './network/sandbox-network.ts';
import { MIN_PID_MAX, tryPidMax } from './process-count.ts';
import { DEFAULT_RESOURCE_LIMITS, type ResourceLimits } from './resource-limits.ts';
import type { SandboxOptions } from './sandbox-processes.ts';

/** What a sandbox stands on, found when it is opened. */
export interface Foundation {
  readonly bubblewrap: Bubblewrap;
  readonly network: SandboxNetwork;
  readonly limits: ResourceLimits;
  readonly groups: ControlGroups | undefined;
  /** Whether a table of processes of its own bounds their number. */
  readonly hasOwnTable: boolean;
}

/** @throws SynapseError `unavailable` where there is no usable bubblewrap */
export async function openFoundation(options: SandboxOptions, given?: Bubblewrap): Promise<Foundation> {
  const bubblewrap = given ?? (await findBubblewrap());
  if (bubblewrap?.usable !== true) {
    throw new SynapseError(
      'unavailable',
      bubblewrap === undefined ? 'There is no sandbox for commands here.' : `bubblewrap ${bubblewrap.version} is too old.`,
      {
        hint: 'Install bubblewrap 0.8 or newer (Debian, Ubuntu: apt install bubblewrap), or permit commands without a sandbox explicitly.',
      },
    );
  }
  const limits = { ...DEFAULT_RESOURCE_LIMITS, ...options.policy.limits };
  // RLIMIT_NPROC knows smaller numbers, but does not bind root.
  const isRoot = options.asRoot ?? process.getuid?.() === 0;
  const wantsTable = isRoot || limits.processes >= MIN_PID_MAX;
  const [network, groups, table] = await Promise.all([
    openNetwork(options.policy.network ?? 'off', options.proxy),
    findControlGroups(),
    wantsTable ? tryPidMax(bubblewrap.program) : undefined,
  ]);
  return { bubblewrap, network, limits, groups, hasOwnTable: table?.worked === true };
}
