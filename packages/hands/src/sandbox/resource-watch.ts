import type { SynapseError } from '@synapse/protocol';

/** Watches a resource of the machine while a command runs. */
export interface ResourceWatch extends Disposable {
  /** Aborted with the error to report when the resource runs out. */
  readonly signal: AbortSignal;
}

/**
 * Checks a resource at once and at an interval.
 *
 * @param look returns why the command must end; undefined while it may run. If it throws, the command continues
 */
export function watchResource(look: () => Promise<SynapseError | undefined>, intervalMs: number): ResourceWatch {
  const controller = new AbortController();
  const lookOnce = async (): Promise<void> => {
    try {
      const error = await look();
      if (error !== undefined) controller.abort(error);
    } catch {
      // A resource that cannot be read is not watched. The limits of each process and file still apply.
    }
  };
  void lookOnce();
  const timer = setInterval(() => void lookOnce(), intervalMs);
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
