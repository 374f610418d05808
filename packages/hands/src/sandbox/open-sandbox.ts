import { SynapseError, type SandboxTier } from '@synapse/protocol';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { type HandedOver, SandboxProcesses, type SandboxOutcome } from './sandbox-processes.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';

/** Runs processes under the confinement of an operating system. */
export interface Sandbox extends Processes, AsyncDisposable {
  readonly tier: SandboxTier;
  /** The path of the program that confines the commands; undefined if there is none. */
  readonly program?: string;
  run(request: ProcessRequest): Promise<SandboxOutcome>;
  /** Runs a process with an overlay for the workspace; undefined if that is not supported. */
  runIn?(request: ProcessRequest, overlay: WorkspaceOverlay): Promise<SandboxOutcome>;
  /** Quarantines what commands left that were handed over to this process. */
  sweepHandedOver?(): Promise<HandedOver>;
}

type Opener = (options: SandboxOptions) => Promise<Sandbox>;

/** The sandbox of each platform. Elsewhere, such as on macOS, commands run as if no sandbox works: each needs a yes. */
const PLATFORMS: Partial<Readonly<Record<NodeJS.Platform, Opener>>> = {
  linux: (options) => SandboxProcesses.open(options),
};

/** `required`: nothing runs without a sandbox. `none`: a person chose to run commands without one. */
export type SandboxMode = 'required' | 'none';

/**
 * Opens the sandbox of this platform.
 *
 * @throws SynapseError `unavailable` if it does not work and was not given up explicitly
 */
export async function openSandbox(mode: SandboxMode, options: SandboxOptions): Promise<Sandbox> {
  if (mode === 'none') return unconfined(options.processes);
  const open = PLATFORMS[process.platform];
  if (open !== undefined) return await open(options);
  throw new SynapseError('unavailable', `No sandbox is available for ${process.platform}, so commands do not run.`, {
    hint: 'Use Linux, or permit commands without a sandbox explicitly.',
  });
}

function unconfined(processes: Processes): Sandbox {
  return {
    tier: 'none',
    // Nothing holds a command that is not confined: it ends with this process.
    run: async (request) => {
      const { holding, ...rest } = request;
      return { ...(await processes.run(holding === undefined ? request : rest)), sandbox: 'none', quarantined: [] };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
