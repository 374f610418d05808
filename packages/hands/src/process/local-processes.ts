import { availableParallelism } from 'node:os';
import { compiledLauncher } from '../launch/compiled-launcher.ts';
import { childEnvironment } from './environment.ts';
import { once } from '../events/timing.ts';
import { pathOutside } from './path-outside.ts';
import { startReaper, type Reaper } from './reaper.ts';
import { PipePool } from './output-pipes.ts';
import type { Processes, ProcessOutcome, ProcessRequest } from './processes.ts';
import { runProcess } from './run-process.ts';
import { ProcessTags, TAG_VARIABLE, tagValue } from './hardening.ts';

/** A limited number of slots, granted in the order of the requests. */
class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot; disposing it passes it on. Rejects with the signal's reason if it is aborted first. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#release();
        held = false;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#waiting.delete(wake);
      reject(signal.reason);
    };
    const wake = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    this.#waiting.add(wake);
    signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** Maximum number of concurrent processes of each kind. More would only wait for each other. */
const MAX_RUNNING = Math.max(16, 4 * availableParallelism());

/** How to set up {@link LocalProcesses}. */
interface LocalProcessesOptions {
  /** Variables for every process in addition to the inherited ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The variables to inherit from. Default: the environment of this process. */
  readonly parentEnvironment?: Readonly<Record<string, string | undefined>>;
  /** The real path of a folder whose programs only hardened processes find. Default: none. */
  readonly untrusted?: string;
}

/** Processes of this machine, without a sandbox. */
export class LocalProcesses implements Processes, Disposable {
  readonly #environment: Readonly<Record<string, string>>;
  /** For processes that are not hardened: the helpers of Synapse itself. */
  readonly #helperEnvironment: Readonly<Record<string, string>>;
  readonly #outerTag: string | undefined;
  readonly #launcher: () => ReturnType<typeof compiledLauncher>;
  readonly #tags = new ProcessTags();
  readonly #pipes = new PipePool();
  #reaper: Reaper | undefined;
  // Separate, so that commands that run for an hour do not delay a search.
  readonly #commandSlots = new Slots(MAX_RUNNING);
  readonly #helperSlots = new Slots(MAX_RUNNING);

  constructor({ environment, parentEnvironment = process.env, untrusted }: LocalProcessesOptions = {}) {
    this.#environment = childEnvironment(parentEnvironment, environment);
    this.#helperEnvironment =
      untrusted === undefined ? this.#environment : { ...this.#environment, PATH: pathOutside(this.#environment['PATH'] ?? '', untrusted) };
    this.#outerTag = parentEnvironment[TAG_VARIABLE];
    this.#launcher = once(async () => await compiledLauncher(untrusted));
  }

  async run(request: ProcessRequest): Promise<ProcessOutcome> {
    const {
      argv,
      cwd,
      handles,
      environment,
      hardened = false,
      cgroupProcs,
      limits,
      onStart,
      onOutput,
      onInput,
      input,
      holding,
      endsAllBy,
      signal,
    } = request;
    using _slot = await (hardened ? this.#commandSlots : this.#helperSlots).take(signal);
    using stack = new DisposableStack();
    const directory = typeof cwd === 'function' ? stack.use(cwd()) : cwd;
    using pipes = hardened ? await this.#pipes.take() : undefined;
    const launcher = hardened ? await this.#launcher() : undefined;
    signal.throwIfAborted();
    const tag = this.#tags.next();
    // Started with the first command: hands that only read and search do not need it.
    if (hardened && process.platform === 'linux') this.#reaper ??= startReaper(this.#tags);
    const reaper = this.#reaper;
    const inherited = hardened ? this.#environment : this.#helperEnvironment;
    const variables = { ...inherited, ...environment, [TAG_VARIABLE]: tagValue(tag, this.#outerTag) };
    return await runProcess({
      argv,
      cwd: directory.self,
      handles,
      environment: variables,
      tag,
      hardening: hardened ? { cgroupProcs, limits, launcher } : undefined,
      endsAllBy,
      pipes,
      onStart,
      onOutput,
      onInput,
      input,
      onTransfer: holding === undefined ? undefined : () => reaper?.spare(tag),
      signal,
    });
  }

  [Symbol.dispose](): void {
    this.#pipes[Symbol.dispose]();
    this.#reaper?.[Symbol.dispose]();
    this.#reaper = undefined;
  }
}
