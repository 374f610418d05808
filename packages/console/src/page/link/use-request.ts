import type { ConsoleMethod, ConsoleParams, ConsoleResult } from '@synapse/protocol/console';
import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../state/store.ts';
import { line, type RequestError } from './line.ts';

/** The state of a request. */
export interface Requested<Value> {
  readonly value: Value | undefined;
  readonly error: RequestError | undefined;
  readonly reload: () => void;
}

/**
 * Sends a request when the connection is up, and again when something changes.
 *
 * @param watched a value whose change makes a new answer likely, such as a counter
 */
export function useRequest<Method extends ConsoleMethod>(
  method: Method,
  params: ConsoleParams<Method>,
  watched?: unknown,
): Requested<ConsoleResult<Method>> {
  const key = JSON.stringify(params);
  const live = useStore((state) => state.link === 'live');
  const epoch = useStore((state) => state.epoch);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<{ key: string; value?: ConsoleResult<Method>; error?: RequestError }>({ key });
  useEffect(() => {
    if (!live) return undefined;
    const controller = new AbortController();
    line.request(method, params, controller.signal).then(
      (value) => controller.signal.aborted || setAnswer({ key, value }),
      (error: RequestError) => controller.signal.aborted || setAnswer({ key, error }),
    );
    return () => controller.abort();
  }, [method, key, watched, live, epoch, round]);
  // Ignore the answer to a previous request.
  const current = answer.key === key ? answer : undefined;
  return { value: current?.value, error: current?.error, reload: () => setRound((before) => before + 1) };
}
