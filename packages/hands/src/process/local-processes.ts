import { availableParallelism } from 'node:os';
import { childEnvironment } from './environment.ts';
import { startGuardian } from './guardian.ts';
import { PipePool } from './pipe-pool.ts';
import type { ProcessOutcome, ProcessRequest, Processes } from './processes.ts';
import { runProcess } from './run-process.ts';
import { Slots } from './slots.ts';
import { MARK_VARIABLE, TreeMarks, markValue } from './tree-mark.ts';

/** Processes at a time, of each kind; more would only wait for each other. */
const MAX_RUNNING = Math.max(16, 4 * availableParallelism());

/** How to set up {@link LocalProcesses}. */
export interface LocalProcessesOptions {
  /** Variables for every process beside the allowed ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What to inherit from. Default: the environment of this process. */
  readonly parentEnvironment?: Readonly<Record<string, string | undefined>>;
}

/** Processes of this machine, without a sandbox. */
export class LocalProcesses implements Processes, Disposable {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #outerMark: string | undefined;
  readonly #marks = new TreeMarks();
  readonly #pipes = new PipePool();
  #endGuardian: (() => void) | undefined;
  // Apart, so that commands which run for an hour do not keep a search waiting.
  readonly #commandSlots = new Slots(MAX_RUNNING);
  readonly #helperSlots = new Slots(MAX_RUNNING);

  constructor({ environment, parentEnvironment = process.env }: LocalProcessesOptions = {}) {
    this.#environment = childEnvironment(parentEnvironment, environment);
    this.#outerMark = parentEnvironment[MARK_VARIABLE];
  }

  async run(request: ProcessRequest): Promise<ProcessOutcome> {
    const { argv, cwd, handles, environment, hardened = false, groupDoor, limits, onStart, onOutput, onInput, signal } = request;
    using _slot = await (hardened ? this.#commandSlots : this.#helperSlots).take(signal);
    using stack = new DisposableStack();
    const directory = typeof cwd === 'function' ? stack.use(cwd()) : cwd;
    using pipes = hardened ? await this.#pipes.take() : undefined;
    signal.throwIfAborted();
    const mark = this.#marks.next();
    // For the first command: who only reads and searches needs none.
    if (hardened && process.platform === 'linux') this.#endGuardian ??= startGuardian(this.#marks);
    const variables = { ...this.#environment, ...environment, [MARK_VARIABLE]: markValue(mark, this.#outerMark) };
    return await runProcess({
      argv,
      cwd: directory.self,
      handles,
      environment: variables,
      mark,
      hardening: hardened ? { groupDoor, limits } : undefined,
      pipes,
      onStart,
      onOutput,
      onInput,
      signal,
    });
  }

  [Symbol.dispose](): void {
    this.#pipes[Symbol.dispose]();
    this.#endGuardian?.();
    this.#endGuardian = undefined;
  }
}
