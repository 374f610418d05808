import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import { until } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { WaitingRoom } from './waiting-room.ts';

/** A prompt that a session works on. */
export interface TakenPrompt {
  readonly messageId: string;
  /** Rejects if the model could not answer. */
  readonly ended: Promise<StopReason>;
}

/** A prompt for a line. */
export interface NextPrompt {
  /** Number of characters that it holds in memory while it waits. */
  readonly characters: number;
  /** Begins to work on it. */
  readonly take: () => TakenPrompt;
}

/** Maximum number of prompts of a session that wait. */
const MAX_WAITING = 16;

/** The prompts of a session: each waits until those before it have ended. */
export class PromptLine {
  /** Settles when every prompt so far has ended, or was withdrawn. */
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** Number of prompts that have not ended. */
  #present = 0;
  readonly #room: WaitingRoom;
  #withdrawing = new AbortController();

  /** @param room bounds what waits in this line and in others */
  constructor(room: WaitingRoom) {
    this.#room = room;
  }

  /**
   * Takes a prompt in its turn.
   *
   * @param signal withdraws it while it waits
   * @returns the id of its message
   * @throws RequestError -32800 if it was withdrawn
   * @throws SynapseError `busy` if too much waits already
   */
  async next({ characters, take }: NextPrompt, signal: AbortSignal): Promise<string> {
    if (this.#waiting >= MAX_WAITING)
      throw new SynapseError('busy', `${MAX_WAITING} prompts of this session wait already.`, { hint: 'Wait for them, or cancel.' });
    using _held = this.#present === 0 ? undefined : this.#room.hold(characters);
    const withdrawn = AbortSignal.any([signal, this.#withdrawing.signal]);
    const before = this.#last;
    const own = Promise.withResolvers<unknown>();
    this.#last = Promise.all([before, own.promise]).then(() => undefined);
    this.#waiting += 1;
    this.#present += 1;
    let ended: Promise<unknown> = Promise.resolve();
    try {
      await until(before, withdrawn).catch(() => undefined);
      if (withdrawn.aborted) throw RequestError.requestCancelled();
      const taken = take();
      ended = taken.ended;
      return taken.messageId;
    } finally {
      this.#waiting -= 1;
      // A failure was told as the state of the session.
      const leave = (): void => {
        this.#present -= 1;
        own.resolve(undefined);
      };
      ended.then(leave, leave);
    }
  }

  /** Withdraws all prompts that wait. */
  withdraw(): void {
    this.#withdrawing.abort();
    this.#withdrawing = new AbortController();
  }
}
