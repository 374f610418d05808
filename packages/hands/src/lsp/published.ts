import type { Finding } from './finding.ts';

/** No further word for so long, in milliseconds: what was said last is the answer. */
const QUIET_MS = 300;
/** An empty answer often comes first, before the file was looked at. */
const QUIET_AFTER_NOTHING_MS = 1_200;
/** A server that has not said anything about a file by then has no answer. */
const CAP_MS = 10_000;

/**
 * Waits for a server that tells diagnostics of its own accord: it says when it begins and never when it is done. The
 * first word is never trusted; the answer is the last word before it fell silent and had nothing under way.
 */
export class Published implements Disposable {
  readonly #uri: string;
  readonly #settled = Promise.withResolvers<readonly Finding[] | undefined>();
  readonly #isBusy: () => boolean;
  readonly #cap: NodeJS.Timeout;
  #latest: readonly Finding[] | undefined;
  #quiet: NodeJS.Timeout | undefined;

  /** @param isBusy whether the server says that it works on something */
  constructor(uri: string, isBusy: () => boolean) {
    this.#uri = uri;
    this.#isBusy = isBusy;
    this.#cap = setTimeout(() => this.#settled.resolve(this.#isBusy() ? undefined : this.#latest), CAP_MS);
  }

  /** Takes what the server says about a file. */
  take(uri: string, findings: readonly Finding[]): void {
    if (uri !== this.#uri) return;
    this.#latest = findings;
    this.#wait();
  }

  /** The last word; undefined where there was none. */
  async answer(signal: AbortSignal): Promise<readonly Finding[] | undefined> {
    const onAbort = (): void => this.#settled.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await this.#settled.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#cap);
    clearTimeout(this.#quiet);
    this.#settled.resolve(this.#latest);
  }

  #wait(): void {
    clearTimeout(this.#quiet);
    const done = (): void => {
      if (this.#isBusy()) this.#wait();
      else this.#settled.resolve(this.#latest);
    };
    this.#quiet = setTimeout(done, this.#latest?.length === 0 ? QUIET_AFTER_NOTHING_MS : QUIET_MS);
  }
}
