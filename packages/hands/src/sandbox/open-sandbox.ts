import { isSynapseError, SynapseError, type SandboxTier } from '@synapse/protocol';
import { until } from '../events/timing.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import { findBubblewrap, type Bubblewrap } from './find-bubblewrap.ts';
import type { Landlock } from './landlock/find-landlock.ts';
import { bubblewrapTier } from './prepared-run.ts';
import { SANDBOX_CHOICE_FACTS, type SandboxChoice } from './sandbox-choices.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { type HandedOver, SandboxProcesses, type SandboxOutcome } from './sandbox-processes.ts';
import { findSandboxSupport } from './sandbox-support.ts';
import type { Tier } from './tier.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';

/** Runs processes under the confinement of an operating system. */
export interface Sandbox extends Processes, AsyncDisposable {
  readonly tier: SandboxTier;
  /** The path of the program that confines the commands; undefined if there is none. */
  readonly program?: string;
  run(request: ProcessRequest): Promise<SandboxOutcome>;
  /** How commands get copies of the workspace; undefined if they get none. */
  readonly copies?: Tier['copies'];
  /** Runs a process with an overlay for the workspace; undefined if that is not supported. */
  runIn?(request: ProcessRequest, overlay: WorkspaceOverlay): Promise<SandboxOutcome>;
  /** Quarantines what commands left that were handed over to this process. */
  sweepHandedOver?(): Promise<HandedOver>;
}

/** A sandbox whose commands get copies of the workspace. */
export type CopyingSandbox = Pick<SandboxProcesses, 'runIn' | 'copies'>;

/**
 * Opens the sandbox that a choice asks for.
 *
 * @throws SynapseError `unavailable` if none of those that count works, and the choice refuses to run commands without one
 */
export async function openSandbox(choice: SandboxChoice, options: SandboxOptions): Promise<Sandbox> {
  const { tiers, otherwise } = SANDBOX_CHOICE_FACTS[choice];
  if (tiers.length === 0) return unconfined(options);
  try {
    return await openOn(process.platform, tiers, options);
  } catch (error) {
    if (otherwise === 'unconfined' && isSynapseError(error) && error.code === 'unavailable') return unconfined(options);
    throw error;
  }
}

async function openOn(platform: NodeJS.Platform, tiers: readonly Tier['name'][], options: SandboxOptions): Promise<Sandbox> {
  if (platform === 'linux') return await openConfined(tiers, options);
  if (platform !== 'darwin' || !tiers.includes('seatbelt')) throw noSandboxFor(platform);
  return unheld(await (await import('./seatbelt/open-seatbelt.ts')).openSeatbelt(options));
}

async function openConfined(tiers: readonly Tier['name'][], options: SandboxOptions): Promise<Sandbox> {
  if (!tiers.includes('landlock')) return await SandboxProcesses.open(options);
  const bubblewrap = tiers.includes('bubblewrap') ? await findBubblewrap() : undefined;
  // Loaded only where there is no bubblewrap, or where it is not known to work.
  if (bubblewrap?.usable !== true) return await withoutNamespaces(options);
  const support = await findSandboxSupport(options, bubblewrap);
  const landlock = support.hasOwnTable ? undefined : await insteadOf(bubblewrap, options.confinement.root);
  if (landlock === undefined) return await SandboxProcesses.openTier(options, support, bubblewrapTier(bubblewrap));
  await support.network[Symbol.asyncDispose]();
  return await withoutNamespaces(options, landlock);
}

async function withoutNamespaces(options: SandboxOptions, landlock?: Landlock): Promise<Sandbox> {
  return unheld(await (await import('./landlock/open-landlock.ts')).openLandlock(options, landlock));
}

/** A sandbox without namespaces. Nothing holds its commands: they end with this process. */
function unheld(sandbox: SandboxProcesses): Sandbox {
  return {
    tier: sandbox.tier,
    program: sandbox.program,
    run: async (request) => {
      const { holding, ...rest } = request;
      return await sandbox.run(holding === undefined ? request : rest);
    },
    copies: sandbox.copies,
    runIn: async (request, overlay) => await sandbox.runIn(request, overlay),
    sweepHandedOver: async () => await sandbox.sweepHandedOver(),
    [Symbol.asyncDispose]: async () => await sandbox[Symbol.asyncDispose](),
  };
}

/** Landlock, where it works and an installed bubblewrap does not. Where neither does, bubblewrap refuses each command and says why. */
async function insteadOf(bubblewrap: Bubblewrap, root: string): Promise<Landlock | undefined> {
  const { tryBubblewrap } = await import('./try-bubblewrap.ts');
  if ((await tryBubblewrap(bubblewrap, 'own')).worked) return undefined;
  const found = await (await import('./landlock/find-landlock.ts')).findLandlock(root);
  return 'problem' in found ? undefined : found;
}

const noSandboxFor = (platform: string): SynapseError =>
  new SynapseError('unavailable', `No sandbox is available for ${platform}, so commands do not run.`, {
    hint: 'Use Linux, or permit commands without a sandbox explicitly.',
  });

function unconfined({ processes, edge }: SandboxOptions): Sandbox {
  return {
    tier: 'none',
    // Nothing holds a command that is not confined: it ends with this process.
    run: async (given) => {
      const { holding, ...rest } = given;
      const request = holding === undefined ? given : rest;
      // It may read what it likes, such as a file with a secret.
      const output =
        edge?.exist() === true
          ? (await import('./scrubbed-output.ts')).scrubbedOutput(request.onOutput, await until(edge.secrets(), request.signal))
          : undefined;
      try {
        return { ...(await processes.run({ ...request, onOutput: output?.take ?? request.onOutput })), sandbox: 'none', quarantined: [] };
      } finally {
        output?.end();
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
