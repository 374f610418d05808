import { SynapseError } from '@synapse/protocol';
import type { ToolRegistry } from '../registry.ts';
import type { DelegatedCall } from '../tool.ts';
import type { RequestedCall, ResolvedCall } from './call.ts';

/** The call that is really meant, by the tool's own name: a tool that only stands for others names it. Never throws. */
export function meantCall(registry: ToolRegistry, name: string, input: unknown): DelegatedCall {
  try {
    const tool = registry.find(name);
    return tool?.delegate?.(input) ?? { tool: tool?.name ?? name, input };
  } catch {
    // An input that cannot be read is refused with the reason where all inputs are.
    return { tool: name, input };
  }
}

/** Waits for a tool that may still come, no longer than whoever called. */
async function waited(coming: Promise<void>, name: string, signals: readonly AbortSignal[]): Promise<void> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new SynapseError('cancelled', `${name.slice(0, 128)} was cancelled.`));
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();
  try {
    await Promise.race([coming, ended]);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
  }
}

/** Waits for a tool of a server that is just being connected; undefined where there is nothing to wait for. */
export function arrival(call: RequestedCall, registry: ToolRegistry, closing: AbortSignal): Promise<void> | undefined {
  const coming = registry.coming(call.name);
  return coming && waited(coming, call.name, call.options.signal === undefined ? [closing] : [closing, call.options.signal]);
}

/** Finds the tool that a call names. One that was waited for may have been named as on the wire. */
export function resolve(call: RequestedCall, registry: ToolRegistry): ResolvedCall {
  const tool = registry.get(call.name);
  return { ...call, name: tool.name, tool };
}
