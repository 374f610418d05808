import { SynapseError } from '@synapse/protocol';
import type { AuthorizedCall, BoundCall } from './call.ts';

/**
 * Gives a call its deadline, joined with the caller's own signal and the end of the hands. Dispose it
 * when the call has ended. The listeners are set by hand: `AbortSignal.any` costs 10 µs a call.
 */
export function bound(call: AuthorizedCall, closing: AbortSignal): BoundCall & Disposable {
  const { tool, options } = call;
  const signals = options.signal === undefined ? [closing] : [closing, options.signal];
  const own = typeof tool.timeoutMs === 'number' ? tool.timeoutMs : tool.timeoutMs(call.arguments);
  const milliseconds = Math.min(own, options.timeoutMs ?? own);
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new SynapseError('cancelled', `${tool.name} was cancelled.`));
  const expire = (within: number): void => {
    controller.abort(
      new SynapseError('timeout', `${tool.name} did not finish within ${within} ms and was stopped.`, {
        hint: 'Ask for less at once, or give a longer timeout where the tool has one.',
      }),
    );
  };
  const startedAt = performance.now();
  let suspended = 0;
  const most = Math.min(tool.renewableMs ?? milliseconds, options.timeoutMs ?? Number.POSITIVE_INFINITY);
  let endsAt = startedAt + milliseconds;
  let timer = setTimeout(expire, milliseconds, milliseconds);
  if (signals.some(({ aborted }) => aborted)) cancel();
  else for (const signal of signals) signal.addEventListener('abort', cancel, { once: true });
  return {
    ...call,
    signal: controller.signal,
    renew() {
      if (most <= milliseconds || controller.signal.aborted) return;
      clearTimeout(timer);
      const left = Math.max(0, most - (performance.now() - startedAt - suspended));
      endsAt = performance.now() + Math.min(left, milliseconds);
      timer = left > milliseconds ? setTimeout(expire, milliseconds, milliseconds) : setTimeout(expire, left, most);
    },
    suspend() {
      clearTimeout(timer);
      const since = performance.now();
      return {
        [Symbol.dispose]() {
          const away = performance.now() - since;
          suspended += away;
          endsAt += away;
          if (!controller.signal.aborted) timer = setTimeout(expire, Math.max(0, endsAt - performance.now()), milliseconds);
        },
      };
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', cancel);
    },
  };
}
