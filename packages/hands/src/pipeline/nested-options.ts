import type { CallOptions, RequestedCall, RunningCall } from '../call/call.ts';
import type { NestedOptions } from '../tool/tool-context.ts';

/** What is known about the outer call: as it runs, or after it ended. */
export type OuterCall = Pick<RequestedCall, 'callId' | 'options'> & Partial<Pick<RunningCall, 'signal' | 'dryRunSession'>>;

/**
 * The options of a call that is made for another one: those of its caller, without what names or limits the outer call alone. Inside
 * a dry run it is one too, also in a trial before a question: its tool runs again.
 */
export function nestedOptions({ callId, options, signal: outer = options.signal, dryRunSession }: OuterCall, own: NestedOptions = {}): CallOptions {
  const { callId: _, timeoutMs: _own, calledAs: _name, readerLimits: _reader, signal: _outer, parents = [], ...kept } = options;
  const [first, second] = [outer, own.signal].filter((signal) => signal !== undefined);
  const signal = first === undefined || second === undefined ? first : AbortSignal.any([first, second]);
  return {
    ...kept,
    ...(signal === undefined ? {} : { signal }),
    ...(own.limits === undefined ? {} : { limits: own.limits }),
    ...(dryRunSession === undefined ? {} : { dryRun: true }),
    parents: [...parents, callId],
  };
}
