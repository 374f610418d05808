import type { CallOptions, Hands } from '@synapse/hands';
import type { CallResult } from '@synapse/protocol';
import type { ConsoleRun } from '@synapse/protocol/console';
import { Gate } from './gate.ts';

/** The environment of runs. */
export interface RunPlace {
  readonly hands: Hands;
  readonly stateFolder: string;
  readonly onChange: (run: ConsoleRun) => void;
}

/** Milliseconds between updates of a streaming run. */
const TELL_MS = 80;

/** A run with its controls. */
export class Run {
  readonly gate = new Gate();
  readonly #place: RunPlace;
  #view: ConsoleRun;
  #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(place: RunPlace, view: ConsoleRun) {
    this.#place = place;
    this.#view = view;
  }

  get view(): ConsoleRun {
    return this.#view;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Hands whose calls wait while the run is held. */
  get hands(): Hands {
    const { hands } = this.#place;
    const call = async (name: string, input?: unknown, options?: CallOptions): Promise<CallResult> => {
      await this.gate.pass(this.signal);
      const result: CallResult = await hands.call(name, input, options);
      return result;
    };
    return { ...hands, call: call as Hands['call'] };
  }

  update(change: Partial<ConsoleRun>, soon = false): void {
    this.#view = { ...this.#view, ...change };
    if (soon) this.#timer ??= setTimeout(() => this.#tell(), TELL_MS).unref();
    else this.#tell();
  }

  /** Starts the work. A failure ends the run. */
  start(work: (signal: AbortSignal) => Promise<void>, describe: (error: unknown) => string): void {
    this.#stopping = new AbortController();
    this.#work = work(this.#stopping.signal).catch((error: unknown) => {
      this.update({ status: 'failed', reason: describe(error), endedAt: Date.now() });
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.gate.release();
  }

  async ended(): Promise<void> {
    await this.#work;
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#place.onChange(this.#view);
  }
}
