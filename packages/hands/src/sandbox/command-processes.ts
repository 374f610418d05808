import { until } from '../events/timing.ts';
import { accessSync, constants } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import { openSandbox, type CopyingSandbox, type Sandbox } from './open-sandbox.ts';
import type { SandboxChoice } from './sandbox-choices.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { HandedOver } from './sandbox-processes.ts';

/** Whether commands are confined. `given up`: the hands were opened without a sandbox. `missing`: none works. */
export type SandboxState = 'works' | 'given up' | 'missing';

/** Starts commands in the chosen sandbox. It opens with the first command, because most hands only read. */
export class CommandProcesses implements Processes, AsyncDisposable {
  readonly #choice: SandboxChoice;
  readonly #options: SandboxOptions;
  #sandbox: Promise<Sandbox> | undefined;
  #isOpen = false;

  constructor(choice: SandboxChoice, options: SandboxOptions) {
    this.#choice = choice;
    this.#options = options;
  }

  /** How the next command is confined. Throws `unavailable` if a sandbox is required and none works. */
  async state(signal: AbortSignal): Promise<SandboxState> {
    return this.#choice === 'none' ? 'given up' : (await this.isConfined(signal)) ? 'works' : 'missing';
  }

  /** Whether the next command runs in a sandbox. Throws `unavailable` if a sandbox is required and none works. */
  async isConfined(signal?: AbortSignal): Promise<boolean> {
    return (await this.#open(signal)).tier !== 'none';
  }

  async run(request: ProcessRequest): Promise<ProcessOutcome> {
    const sandbox = await this.#open(request.signal);
    // Nothing is mounted for it.
    if (sandbox.tier === 'none' && this.#options.keptOutputs?.exist() === true) {
      const { outputsNote } = await import('./view/output-source.ts');
      request.onNote?.(outputsNote([]));
    }
    return await sandbox.run(request);
  }

  /** Quarantines what commands left that were handed over to this process. */
  async sweepHandedOver(): Promise<HandedOver> {
    const sandbox = await this.#open();
    return (await sandbox.sweepHandedOver?.()) ?? { quarantined: [], notes: [] };
  }

  /**
   * Returns the sandbox that can run commands with an overlay for the workspace.
   *
   * @param signal ends the wait for it
   * @throws SynapseError `unavailable` if no sandbox supports this
   */
  async withOverlays(signal: AbortSignal): Promise<CopyingSandbox> {
    const sandbox = await this.#open(signal);
    const runIn = sandbox.runIn?.bind(sandbox);
    const { copies } = sandbox;
    if (runIn === undefined || copies === undefined) throw this.#choice === 'none' ? unconfined() : unavailable();
    return { runIn, copies };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // If opening failed, there is nothing to close.
    const sandbox = await this.#sandbox?.catch(() => undefined);
    await sandbox?.[Symbol.asyncDispose]();
  }

  /** Opening keeps what jobs left, which may take long. @param signal ends the wait */
  async #open(signal?: AbortSignal): Promise<Sandbox> {
    const sandbox = await this.#wait(signal);
    this.#isOpen = true;
    // bubblewrap was removed while in use: detect again, so that an unsandboxed command does not count as sandboxed.
    if (sandbox.program === undefined || isExecutable(sandbox.program)) return sandbox;
    this.#sandbox = undefined;
    this.#isOpen = false;
    await sandbox[Symbol.asyncDispose]();
    return await this.#wait(signal);
  }

  #wait(signal?: AbortSignal): Promise<Sandbox> {
    return this.#isOpen || signal === undefined ? this.#opened() : until(this.#opened(), signal);
  }

  #opened(): Promise<Sandbox> {
    return (this.#sandbox ??= openSandbox(this.#choice, this.#options));
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Removed.
    return false;
  }
}

function unconfined(): SynapseError {
  return new SynapseError('unavailable', 'A command cannot run on a copy of the workspace without a sandbox. It was not run.', {
    hint: 'Leave --sandbox none out, or look at the command itself.',
  });
}

/** Without support for overlays, nothing runs on the workspace itself instead. */
function unavailable(): SynapseError {
  return new SynapseError('unavailable', 'A command cannot run on a copy here: the system has no overlays for users. It was not run.', {
    hint: 'Run synapse doctor to see what is missing, or look at the command itself.',
  });
}
