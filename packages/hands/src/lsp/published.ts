import type { Finding } from './finding.ts';

/** Milliseconds of silence after which the last report is the answer. */
const QUIET_MS = 300;
/** Milliseconds of silence after an empty report, which often comes before the file was checked. */
const QUIET_AFTER_NOTHING_MS = 1_200;
/** Maximum wait in milliseconds. A server without a report by then has no answer. */
const CAP_MS = 10_000;

/**
 * Waits for a server that pushes the diagnostics of a file. It reports when it starts, but not when it is done. The first report is
 * never trusted: the answer is the last report before silence with no work in progress.
 */
export class Published implements Disposable {
  readonly #settled = Promise.withResolvers<readonly Finding[] | undefined>();
  readonly #isBusy: () => boolean;
  readonly #cap: NodeJS.Timeout;
  #latest: readonly Finding[] | undefined;
  #quiet: NodeJS.Timeout | undefined;

  /** @param isBusy whether the server reports work in progress */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
    this.#cap = setTimeout(() => this.#settled.resolve(this.#isBusy() ? undefined : this.#latest), CAP_MS);
  }

  /** Handles a report for the file. */
  take(findings: readonly Finding[]): void {
    this.#latest = findings;
    this.#wait();
  }

  /** Returns the last report; undefined if there was none. */
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
