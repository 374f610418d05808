import type { Face } from './face.ts';
import { MAX_TEXT, plainBlock } from './plain-block.ts';
import type { Shown } from './shown.ts';

type Made = readonly Shown[] | Promise<readonly Shown[]>;

/**
 * Sends the updates of a session in order. Output of a running command is sent as fast as the editor takes it: only its end is kept until
 * then.
 */
export class UpdateQueue {
  readonly #face: Pick<Face, 'show'>;
  readonly #sessionId: string;
  /** The output of running calls; a call is waiting while its update is in the queue. */
  readonly #outputs = new Map<string, { text: string; waiting: boolean }>();
  #last: Promise<void> = Promise.resolve();

  constructor(face: Pick<Face, 'show'>, sessionId: string) {
    this.#face = face;
    this.#sessionId = sessionId;
  }

  /** @param make called in its turn; may read what a call has changed */
  add(make: () => Made): void {
    this.#last = this.#last.then(async () => await this.#send(await make())).catch(() => undefined);
  }

  addUpdate(update: Shown): void {
    this.add(() => [update]);
  }

  /** Adds output of a running call. */
  addOutput(callId: string, output: string): void {
    const kept = this.#outputs.get(callId) ?? { text: '', waiting: false };
    kept.text = (kept.text + output).slice(-MAX_TEXT);
    this.#outputs.set(callId, kept);
    if (kept.waiting) return;
    kept.waiting = true;
    this.add(() => {
      kept.waiting = false;
      // The call has ended, and its end shows the output.
      if (!this.#outputs.has(callId)) return [];
      return [{ kind: 'call-update', call: { callId, status: 'in_progress', content: [plainBlock(kept.text)] } }];
    });
  }

  endOutput(callId: string): void {
    this.#outputs.delete(callId);
  }

  /** Resolves when everything that was added is sent. */
  async sent(): Promise<void> {
    await this.#last;
  }

  /** An editor that is gone ends the session through its connection, not here. */
  async #send(updates: readonly Shown[]): Promise<void> {
    for (const update of updates) await this.#face.show(this.#sessionId, update);
  }
}
