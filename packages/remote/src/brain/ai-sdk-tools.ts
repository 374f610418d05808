import type { CallResult } from '@synapse/protocol';
import type { AiSdkTool, ToolCaller } from '@synapse/hands/providers';
import * as z from 'zod';
import type { RemoteCallOptions, RemoteDialectResult } from './remote-hands.ts';

/** Tool descriptions of the machine. */
const Described = z.array(z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }));

/** Returns the tools of a machine for the AI SDK. Calls run on the machine. */
export async function aiSdkTools(
  describe: () => Promise<unknown>,
  call: (name: string, input: unknown, options: RemoteCallOptions) => Promise<CallResult | RemoteDialectResult>,
): Promise<Record<string, AiSdkTool>> {
  // Loaded on demand: brains that define their own tools do not need it.
  const [{ writeTools }, described] = await Promise.all([import('@synapse/hands/providers'), describe().then((read) => Described.parse(read))]);
  const caller: ToolCaller = {
    tools: () => described,
    call: (name, input, { signal, onProgress, timeoutMs } = {}) =>
      call(name, input, {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onProgress }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      }),
  };
  return writeTools(described, caller, 'ai-sdk');
}
