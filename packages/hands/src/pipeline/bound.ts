import { SynapseError } from '@synapse/protocol';
import type { AuthorizedCall, BoundCall } from './call.ts';

/** Gives a call its deadline, joined with the caller's own signal. Dispose it when the call has ended. */
export function bound(call: AuthorizedCall): BoundCall & Disposable {
  const { tool, options } = call;
  const milliseconds = typeof tool.timeoutMs === 'number' ? tool.timeoutMs : tool.timeoutMs(call.arguments);
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new SynapseError('cancelled', `${tool.name} was cancelled.`));
  const timer = setTimeout(() => {
    controller.abort(
      new SynapseError('timeout', `${tool.name} did not finish within ${milliseconds} ms and was stopped.`, {
        hint: 'Ask for less at once, or give a longer timeout where the tool has one.',
      }),
    );
  }, milliseconds);
  if (options.signal?.aborted === true) cancel();
  else options.signal?.addEventListener('abort', cancel, { once: true });
  return {
    ...call,
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', cancel);
    },
  };
}
