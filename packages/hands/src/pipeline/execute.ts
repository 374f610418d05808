import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { ToolContext } from '../tool-context.ts';
import type { ToolOutput } from '../tool.ts';
import type { BoundCall, ExecutedCall } from './call.ts';

/** How long an aborted tool may take to end what it started, in milliseconds. */
const SETTLE_MS = 8_000;

/** Settles with the tool, or, should it ignore its signal, some time after the abort. */
async function settled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => reject(signal.reason), SETTLE_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, stuck]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Runs the tool. An answer that comes after the deadline still counts when the tool made it of what it had. */
export async function execute(call: BoundCall, ctx: ToolContext): Promise<ExecutedCall> {
  call.signal.throwIfAborted();
  let output: ToolOutput<unknown>;
  try {
    output = await settled(call.tool.execute(call.arguments, ctx), call.signal);
  } catch (error) {
    // Once aborted, whatever broke broke because of that, unless the tool says better.
    if (call.signal.aborted && !(isSynapseError(error) && error !== call.signal.reason)) throw call.signal.reason;
    throw error;
  }
  if (isSynapseError(call.signal.reason) && call.signal.reason.code === 'cancelled') throw call.signal.reason;
  const parsed = call.tool.output.safeParse(output.data);
  if (!parsed.success) {
    throw new SynapseError('internal', `${call.tool.name} gave an answer of the wrong form.`, { cause: parsed.error });
  }
  const { content, contentBytes, note, truncation, sandbox } = output;
  return { ...call, data: parsed.data, content, contentBytes, note, truncation, sandbox };
}
