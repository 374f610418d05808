import { isSynapseError } from '@synapse/protocol';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import { openSandbox, type Sandbox, type SandboxMode } from './open-sandbox.ts';
import type { SandboxOptions } from './sandbox-processes.ts';

/**
 * How commands are confined: `auto` in a sandbox where one works, and else without, which the policy and every
 * result tell; `required` not at all where none works; `none` never.
 */
export const SANDBOX_CHOICES = ['auto', 'required', 'none'] as const satisfies readonly ('auto' | SandboxMode)[];
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

/** Starts commands in the sandbox that was chosen. It is opened with the first command: most hands only read. */
export class CommandProcesses implements Processes, AsyncDisposable {
  readonly #choice: SandboxChoice;
  readonly #options: SandboxOptions;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(choice: SandboxChoice, options: SandboxOptions) {
    this.#choice = choice;
    this.#options = options;
  }

  /** Whether the next command runs in a sandbox. Throws `unavailable` where one is required and none works. */
  async isConfined(): Promise<boolean> {
    return (await this.#open()).tier !== 'none';
  }

  async run(request: ProcessRequest): Promise<ProcessOutcome> {
    const sandbox = await this.#open();
    return await sandbox.run(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that could not be opened has nothing to close.
    const sandbox = await this.#sandbox?.catch(() => undefined);
    await sandbox?.[Symbol.asyncDispose]();
  }

  #open(): Promise<Sandbox> {
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
