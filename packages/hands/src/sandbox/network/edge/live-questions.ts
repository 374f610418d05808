import type { AskAboutRequest, HeldRequest } from '../../../net/held-request.ts';

/** Answers other than yes after which a command asks no more: a program may ask for any number of hosts and paths. */
const MAX_REFUSALS = 3;

/** The questions of one command about requests: each is asked once, and one after the other. */
export class LiveQuestions implements Disposable {
  readonly #ask: AskAboutRequest;
  readonly #answers = new Map<string, Promise<boolean>>();
  readonly #ended = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #refusals = 0;

  constructor(ask: AskAboutRequest) {
    this.#ask = ask;
  }

  /** Whether a person allows a request. @param key the same for requests that share an answer */
  allows(key: string, held: HeldRequest): Promise<boolean> {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    if (this.#refusals >= MAX_REFUSALS) return Promise.resolve(false);
    const answer = this.#last.then(async () => {
      const { signal } = this.#ended;
      // An earlier question of this command may have been the last one.
      if (signal.aborted || this.#refusals >= MAX_REFUSALS) return false;
      // The command may have ended meanwhile.
      const isAllowed = await this.#ask(held, signal).catch(() => false);
      if (!isAllowed) this.#refusals += 1;
      return isAllowed;
    });
    this.#answers.set(key, answer);
    this.#last = answer;
    return answer;
  }

  /** Withdraws what is still asked. */
  [Symbol.dispose](): void {
    this.#ended.abort();
  }
}
