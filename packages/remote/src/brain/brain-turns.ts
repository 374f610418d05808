import { brainStep, type BrainEffect, type BrainEvent, type BrainState } from '@synapse/protocol/remote';

/** What turns need. */
export interface TurnParts {
  /** Performs an effect. Later ones wait for what it returns. */
  readonly perform: (effect: BrainEffect) => Promise<void> | undefined;
  /** Called when nothing waits. */
  readonly onIdle: () => void;
  /** Called if an effect fails, once: nothing is performed after it. */
  readonly onFailed: (error: unknown) => void;
}

/** Leaves out what is kept again at once. */
function lastKept(effects: readonly BrainEffect[]): BrainEffect[] {
  const last = new Map(effects.map((effect, at) => [effect.type === 'keep' ? effect.id : undefined, at]));
  return effects.filter((effect, at) => effect.type !== 'keep' || last.get(effect.id) === at);
}

/** Takes the events of a brain one after another, and performs their effects in order. */
export class BrainTurns {
  state: BrainState;
  readonly #parts: TurnParts;
  readonly #events: BrainEvent[] = [];
  readonly #effects: BrainEffect[] = [];
  #busy = true;
  #isOver = false;
  #last: Promise<void> | undefined;

  constructor(state: BrainState, parts: TurnParts) {
    this.state = state;
    this.#parts = parts;
  }

  /** Begins, with the calls from before a restart. Events until then wait. */
  start([state, effects]: ReturnType<typeof brainStep>, calls: BrainState['calls']): void {
    [this.state] = brainStep(state, { type: 'boot', calls });
    this.#effects.push(...effects);
    this.#go();
  }

  take(event: BrainEvent): void {
    if (this.#isOver) return;
    this.#events.push(event);
    if (!this.#busy) this.#go();
  }

  /** Takes nothing more. */
  stop(): void {
    this.#isOver = true;
  }

  /** Waits for what is being kept. */
  async settled(): Promise<void> {
    for (let last = this.#last; last !== undefined; last = this.#last === last ? undefined : this.#last) await last;
  }

  #go(): void {
    this.#busy = true;
    for (;;) {
      const effect = this.#effects.shift();
      if (effect === undefined) {
        const event = this.#events.shift();
        if (event === undefined) break;
        const [state, effects] = brainStep(this.state, event);
        this.state = state;
        this.#effects.push(...lastKept(effects));
        continue;
      }
      let done: Promise<void> | undefined;
      try {
        done = this.#parts.perform(effect);
      } catch (error) {
        return this.#fail(error);
      }
      if (done === undefined) continue;
      this.#last = done.then(
        () => this.#go(),
        (error: unknown) => this.#fail(error),
      );
      return;
    }
    this.#busy = false;
    this.#parts.onIdle();
  }

  #fail(error: unknown): void {
    this.stop();
    this.#parts.onFailed(error);
  }
}
