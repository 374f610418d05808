import { isSynapseError, SynapseError } from '@synapse/protocol';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import { systemProgram } from './find-bubblewrap.ts';
import { openSandbox, type Sandbox, type SandboxMode } from './open-sandbox.ts';
import { runOnOverlay, unavailable, type OverlayRun } from './overlay.ts';
import type { SandboxOptions, SandboxProcesses } from './sandbox-processes.ts';

/**
 * How commands are confined: `auto` in a sandbox where one works, and else without, which the policy and every
 * result tell; `required` not at all where none works; `none` never.
 */
export const SANDBOX_CHOICES = ['auto', 'required', 'none'] as const satisfies readonly ('auto' | SandboxMode)[];
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

/** Whether commands are confined. `given up`: a person started the hands without a sandbox. `missing`: none works. */
export type SandboxState = 'works' | 'given up' | 'missing';

/** A copy that takes longer is none that anybody would wait for; in milliseconds. */
const TRIAL_MS = 30_000;

/** Starts commands in the sandbox that was chosen. It is opened with the first command: most hands only read. */
export class CommandProcesses implements Processes, AsyncDisposable {
  readonly #choice: SandboxChoice;
  readonly #options: SandboxOptions;
  #sandbox: Promise<Sandbox> | undefined;
  #copies: Promise<boolean> | undefined;

  constructor(choice: SandboxChoice, options: SandboxOptions) {
    this.#choice = choice;
    this.#options = options;
  }

  /** How the next command is confined. Throws `unavailable` where a sandbox is required and none works. */
  async state(): Promise<SandboxState> {
    return this.#choice === 'none' ? 'given up' : (await this.isConfined()) ? 'works' : 'missing';
  }

  /** Whether the next command runs in a sandbox. Throws `unavailable` where one is required and none works. */
  async isConfined(): Promise<boolean> {
    return (await this.#open()).tier !== 'none';
  }

  async run(request: ProcessRequest): Promise<ProcessOutcome> {
    const sandbox = await this.#open();
    return await sandbox.run(request);
  }

  /**
   * Runs a command on a copy of the workspace, and tells what it changed there.
   *
   * @param folder where the copy is kept; outside the workspace
   * @throws SynapseError `unavailable` where there is no sandbox or no copy; the command was not run then
   */
  async runOnCopy(request: ProcessRequest, folder: string, keepsNetwork = false): Promise<OverlayRun> {
    const sandbox = await this.substituting();
    const { processes, confinement } = this.#options;
    return await runOnOverlay({ sandbox, processes, confinement, folder, request, keepsNetwork });
  }

  /**
   * What runs commands with something else in place of the workspace.
   *
   * @throws SynapseError `unavailable` where there is no sandbox that can
   */
  async substituting(): Promise<Pick<SandboxProcesses, 'runIn'>> {
    const sandbox = await this.#open();
    const runIn = sandbox.runIn?.bind(sandbox);
    if (runIn === undefined) throw this.#choice === 'none' ? unconfined() : unavailable();
    return { runIn };
  }

  /** Whether commands can run on a copy here, as seen by running one. */
  canCopy(folder: string): Promise<boolean> {
    return (this.#copies ??= this.#tryCopy(folder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that could not be opened has nothing to close.
    const sandbox = await this.#sandbox?.catch(() => undefined);
    await sandbox?.[Symbol.asyncDispose]();
  }

  async #tryCopy(folder: string): Promise<boolean> {
    const { confinement } = this.#options;
    const request: ProcessRequest = {
      argv: ['/bin/sh', '-c', ':'],
      cwd: () => confinement.openDirectory([]),
      hardened: true,
      signal: AbortSignal.timeout(TRIAL_MS),
      onOutput: () => {},
    };
    try {
      await using run = await this.runOnCopy(request, folder);
      return run.outcome.exitCode === 0;
    } catch {
      // Whatever is missing, the answer is the same.
      return false;
    }
  }

  async #open(): Promise<Sandbox> {
    const sandbox = await this.#opened();
    // Removed while it was in use: what there is now is found out anew, and nothing is taken for sandboxed that is not.
    if (sandbox.tier === 'none' || systemProgram('bwrap') !== undefined) return sandbox;
    this.#sandbox = undefined;
    await sandbox[Symbol.asyncDispose]();
    return await this.#opened();
  }

  #opened(): Promise<Sandbox> {
    return (this.#sandbox ??= this.#choose());
  }

  async #choose(): Promise<Sandbox> {
    if (this.#choice !== 'auto') return await openSandbox(this.#choice, this.#options);
    try {
      return await openSandbox('required', this.#options);
    } catch (error) {
      if (isSynapseError(error) && error.code === 'unavailable') return await openSandbox('none', this.#options);
      throw error;
    }
  }
}

function unconfined(): SynapseError {
  return new SynapseError('unavailable', 'A command cannot run on a copy of the workspace without a sandbox. It was not run.', {
    hint: 'Leave --sandbox none out, or look at the command itself.',
  });
}
