import type { Approver } from '@synapse/hands';
import type { Activity, Ending } from './shown.ts';
import type { UpdateQueue } from './update-queue.ts';

/** Tells an editor whether its session works, waits for a person, or is idle. */
export class ActivityTeller {
  readonly #queue: Pick<UpdateQueue, 'addUpdate'>;
  #questions = 0;
  #activity: Activity = { state: 'idle' };
  /** Ends the work on the prompt. */
  #ending: AbortSignal | undefined;

  constructor(queue: Pick<UpdateQueue, 'addUpdate'>) {
    this.#queue = queue;
  }

  /** Tells what is the case now, which the editor may know already. */
  tell(): void {
    this.#queue.addUpdate({ kind: 'activity', activity: this.#activity });
  }

  /** @param ending ends the work that begins */
  begin(ending: AbortSignal): void {
    this.#ending = ending;
    this.#change({ state: 'running' });
  }

  end(ending: Ending): void {
    this.#change({ state: 'idle', ...ending });
  }

  /** Shows that the work waits, while the approver asks. */
  watched(approver: Approver): Approver {
    const fill = approver.fill?.bind(approver);
    return {
      name: approver.name,
      ask: (request, signal, onShown) => this.#asking(() => approver.ask(request, signal, onShown)),
      ...(fill === undefined ? {} : { fill: (form, signal) => this.#asking(() => fill(form, signal)) }),
    };
  }

  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#questions += 1;
    if (this.#questions === 1) this.#change({ state: 'requires_action' });
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      // A question may end without an answer, and the work goes on. Only after a cancelled prompt, its end follows.
      const goesOn = this.#activity.state === 'requires_action' && this.#ending?.aborted === false;
      if (this.#questions === 0 && goesOn) this.#change({ state: 'running' });
    }
  }

  #change(activity: Activity): void {
    this.#activity = activity;
    this.tell();
  }
}
