import { SynapseError } from '@synapse/protocol';
import type { DelegatedCall } from '../tool/tool.ts';
import type { RequestedCall, ResolvedCall } from '../call/call.ts';
import type { CallableTools } from './call-runtime.ts';

/** The target call of a delegating tool. Never throws. */
export function resolveDelegate(registry: CallableTools, name: string, input: unknown): DelegatedCall {
  try {
    const tool = registry.find(name);
    return tool?.delegate?.(input) ?? { tool: tool?.name ?? name, input };
  } catch {
    // `validate` refuses invalid inputs with the reason.
    return { tool: name, input };
  }
}

/** Waits for a tool that may still be registered, at most until the caller cancels. */
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

/** Waits for a tool of a server that is still connecting; undefined if there is nothing to wait for. */
export function waitForTool(call: RequestedCall, registry: CallableTools, closing: AbortSignal): Promise<void> | undefined {
  const coming = registry.waitForTool(call.name);
  return coming && waited(coming, call.name, call.options.signal === undefined ? [closing] : [closing, call.options.signal]);
}

/** Finds the tool of a call. After a wait, the name may be the one on the wire. */
export function resolve(call: RequestedCall, registry: CallableTools): ResolvedCall {
  const tool = registry.get(call.name);
  return { ...call, name: tool.name, tool };
}
