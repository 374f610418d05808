import type { ToolRegistry } from '../registry.ts';
import type { RequestedCall, ResolvedCall } from './call.ts';

/** Finds the tool that a call names. */
export function resolve(call: RequestedCall, registry: ToolRegistry): ResolvedCall {
  return { ...call, tool: registry.get(call.name) };
}
