import type { BrainCall } from '@synapse/protocol/remote';
import { wholeMs } from './hash-arguments.ts';
import type { ConnectionCallOptions } from './waiting-calls.ts';

/** A call as it is sent. @param at when it is made, in milliseconds since 1970 */
export function brainCall(tool: string, input: unknown, dialect: string | undefined, options: ConnectionCallOptions, at: number): BrainCall {
  const { timeoutMs, queueMs, dryRun, workspace, quiet } = options;
  return {
    tool,
    args: input ?? {},
    at,
    ...(dialect === undefined ? {} : { dialect }),
    ...(timeoutMs === undefined ? {} : { deadlineMs: wholeMs(timeoutMs) }),
    ...(queueMs === undefined ? {} : { queueMs: wholeMs(queueMs) }),
    ...(dryRun === true ? { dryRun: true } : {}),
    ...(workspace === undefined ? {} : { workspace }),
    ...(quiet === true ? { quiet } : {}),
  };
}
