import type { SynapseError } from '@synapse/protocol';

/** A watch over something of the machine while a command runs. */
export interface ResourceWatch extends Disposable {
  /** Aborted with the error to give where it runs out. */
  readonly signal: AbortSignal;
}

/**
 * Looks at something at once and from time to time.
 *
 * @param look tells why the command has to end; undefined while all is well. Where it throws, nothing is known, and the command goes on
 */
export function watchResource(look: () => Promise<SynapseError | undefined>, intervalMs: number): ResourceWatch {
  const controller = new AbortController();
  const lookOnce = async (): Promise<void> => {
    try {
      const error = await look();
      if (error !== undefined) controller.abort(error);
    } catch {
      // What cannot be asked is not watched; the limits of each process and file still hold.
    }
  };
  void lookOnce();
  const timer = setInterval(() => void lookOnce(), intervalMs);
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
