import type { ServerContext } from '@modelcontextprotocol/server';
import type { ProgressUpdate } from './progress-updates.ts';

/** What a call has beside its parameters, by whichever way it came. */
export interface CallContext {
  /** Aborted when the client cancels the call, or leaves. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is; undefined where it did not ask. */
  readonly report: ((update: ProgressUpdate) => Promise<void>) | undefined;
}

/** The context of a call that came through the SDK. */
export function sdkContext({ mcpReq: { signal, _meta, notify } }: ServerContext): CallContext {
  const progressToken = _meta?.progressToken;
  return {
    signal,
    report: progressToken === undefined ? undefined : (update) => notify({ method: 'notifications/progress', params: { progressToken, ...update } }),
  };
}
