import { SynapseError } from '@synapse/protocol';
import { findControlGroups, type ControlGroups } from './control-groups.ts';
import { findBubblewrap, type Bubblewrap } from './find-bubblewrap.ts';
import type { EdgeSource } from './network/edge/edge-source.ts';
import { openedHosts } from './network/package-network.ts';
import { openNetwork, type NetworkOptions, type SandboxNetwork } from './network/sandbox-network.ts';
import { MIN_PID_MAX, tryPidMax } from './process-count.ts';
import { DEFAULT_RESOURCE_LIMITS, type ResourceLimits } from './resource-limits.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { Confinement } from '../workspace/confinement.ts';

/** Options that determine which parts a sandbox uses. */
export interface SandboxSupportOptions {
  readonly policy: SandboxPolicy;
  readonly confinement: Pick<Confinement, 'root'>;
  /** The variables of commands: PATH and others determine what they can see. Default: this process's. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Whether its processes run as root. Default: whether this process does. */
  readonly asRoot?: boolean;
  /** How the filtering proxy resolves and connects, and its listener for refusals. */
  readonly proxy?: Omit<NetworkOptions, 'edge' | 'onAsked'>;
  /** Receives what commands ask the network for. Default: nothing does. */
  readonly onAsked?: NetworkOptions['onAsked'];
  /** Where secrets of commands and rules about requests come from. Default: there are none. */
  readonly edge?: EdgeSource;
}

/** The programs and kernel features that a sandbox uses, detected when it opens. */
export interface SandboxSupport {
  readonly network: SandboxNetwork;
  readonly limits: ResourceLimits;
  readonly groups: ControlGroups | undefined;
  /** Whether a PID namespace limits the number of processes. */
  readonly hasOwnTable: boolean;
}

/** The same of a sandbox with bubblewrap. */
interface BubblewrapSupport extends SandboxSupport {
  readonly bubblewrap: Bubblewrap;
}

/** @throws SynapseError `unavailable` if no usable bubblewrap is installed */
export async function findSandboxSupport(options: SandboxSupportOptions, given?: Bubblewrap): Promise<BubblewrapSupport> {
  const bubblewrap = given ?? (await findBubblewrap());
  if (bubblewrap?.usable !== true) {
    throw new SynapseError(
      'unavailable',
      bubblewrap === undefined ? 'No sandbox for commands is available.' : `bubblewrap ${bubblewrap.version} is too old.`,
      {
        hint: 'Install bubblewrap 0.8 or newer (Debian, Ubuntu: apt install bubblewrap), or permit commands without a sandbox explicitly.',
      },
    );
  }
  const limits = { ...DEFAULT_RESOURCE_LIMITS, ...options.policy.limits };
  // RLIMIT_NPROC supports smaller numbers, but does not apply to root.
  const isRoot = options.asRoot ?? process.getuid?.() === 0;
  const wantsTable = isRoot || limits.processes >= MIN_PID_MAX;
  const [network, groups, table] = await Promise.all([
    openNetwork(openedHosts(options.policy.network ?? 'off', { root: options.confinement.root, variables: options.variables }), {
      deniedPrograms: options.policy.deniedPrograms,
      ...options.proxy,
      edge: options.edge,
      onAsked: options.onAsked,
    }),
    findControlGroups(),
    wantsTable ? tryPidMax(bubblewrap.program) : undefined,
  ]);
  return { bubblewrap, network, limits, groups, hasOwnTable: table?.worked === true };
}
