import type { CallResult } from '@synapse/protocol';
import type { Hands } from '../runtime/hands.ts';

/** Calls a tool as models do: with any name and input. */
export function callUntyped(hands: Pick<Hands, 'call'>, name: string, input?: unknown, options?: Parameters<Hands['call']>[2]): Promise<CallResult> {
  return hands.call(name, input, options);
}
