import type { CallResult } from '@synapse/protocol';
import type { Hands } from '../hands.ts';

/** Calls a tool as a model does: with whatever name and input it likes. */
export function callUntyped(hands: Pick<Hands, 'call'>, name: string, input?: unknown, options?: Parameters<Hands['call']>[2]): Promise<CallResult> {
  return hands.call(name, input, options);
}
