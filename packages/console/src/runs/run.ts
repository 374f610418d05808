import type { CallOptions, Hands } from '@synapse/hands';
import { SynapseError, type CallResult } from '@synapse/protocol';
import type { ConsoleRun } from '@synapse/protocol/console';
import { Gate } from './gate.ts';
import { SpokenWords } from './spoken-words.ts';
import { Transcript } from './transcript.ts';

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
  readonly #load: ((revision: number) => Transcript) | undefined;
  readonly #words = new SpokenWords();
  #view: ConsoleRun;
  #transcript: Transcript | undefined;
  #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;

  /** @param load reads the transcript of a stored session */
  constructor(place: RunPlace, view: ConsoleRun, load?: (revision: number) => Transcript) {
    this.#place = place;
    this.#view = view;
    this.#load = load;
  }

  get view(): ConsoleRun {
    return this.#view;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether this console works on it now. */
  get works(): boolean {
    return this.#work !== undefined;
  }

  /** What happened so far. Of a stored session, it is read when it is needed. */
  get transcript(): Transcript {
    return (this.#transcript ??= this.#load?.(this.#view.revision) ?? new Transcript(this.#view.revision));
  }

  /** Forgets the transcript of a stored session, which is read again when it is needed. */
  forget(): void {
    if (this.works || this.#load === undefined || this.#transcript === undefined) return;
    // The next one continues where this one ended, because a page may know its revision.
    this.#view = { ...this.#view, revision: Math.max(this.#view.revision, this.#transcript.revision) };
    this.#transcript = undefined;
  }

  /** Shows a stored session as another process left it. */
  reload(view: (revision: number) => ConsoleRun): void {
    this.forget();
    this.#view = view(this.#view.revision + 1);
    this.#tell();
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
    const revision = Math.max(this.#view.revision, change.revision ?? 0, this.#transcript?.revision ?? 0);
    this.#view = { ...this.#view, ...change, revision };
    if (soon) this.#timer ??= setTimeout(() => this.#tell(), TELL_MS).unref();
    else this.#tell();
  }

  /** Keeps a message for the model, which reads it before its next turn. */
  say(text: string): void {
    if (!this.#words.say(text, this.transcript))
      throw new SynapseError('busy', 'Too many messages wait for the model.', { hint: 'Wait for its next turn.' });
    this.update({});
  }

  takeMessages(): string[] {
    const taken = this.#words.take(this.transcript);
    if (taken.length > 0) this.update({});
    return taken;
  }

  /** Starts the work. A failure ends the run. */
  start(work: (signal: AbortSignal) => Promise<void>, describe: (error: unknown) => string): void {
    this.#stopping = new AbortController();
    this.#work = work(this.#stopping.signal)
      .catch((error: unknown) => {
        this.update({ status: 'failed', reason: describe(error), endedAt: Date.now() });
      })
      .finally(() => {
        this.#work = undefined;
        this.transcript.close();
        this.update({});
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
