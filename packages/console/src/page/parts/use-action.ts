import { useState } from 'preact/hooks';
import { announce } from './announcer.tsx';
import { RequestError } from '../link/line.ts';

/** An action of the user that may fail. */
export interface ActionState {
  readonly busy: boolean;
  readonly error: RequestError | undefined;
  /** Runs the action, unless it is already running. Announces the `message` of its result. */
  readonly run: (work: () => Promise<unknown>) => Promise<void>;
}

export function useAction(): ActionState {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<RequestError>();
  return {
    busy,
    error,
    run: async (work) => {
      if (busy) return;
      setBusy(true);
      setError(undefined);
      try {
        const done = await work();
        if (typeof done === 'object' && done !== null && 'message' in done && typeof done.message === 'string') announce(done.message);
      } catch (thrown) {
        const failed = thrown instanceof RequestError ? thrown : new RequestError({ code: 'internal', message: String(thrown) });
        setError(failed);
        announce(failed.message);
      } finally {
        setBusy(false);
      }
    },
  };
}
