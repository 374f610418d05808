import type { CallOptions } from '@synapse/hands';
import type { DialectOutput, ToolCaller, ToolFormat, ToolFormats, WriteOptions } from '@synapse/hands/providers';
import type { ToolDescription } from '@synapse/hands/tools';
import type { CallResult } from '@synapse/protocol';
import * as z from 'zod';

/** Tool descriptions of the machine. Unknown fields are kept. */
export const Described = z.array(z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }));

/** The tools of a machine, written here in a format. Calls run on the machine. */
export async function remoteTools<Format extends ToolFormat>(
  described: readonly ToolDescription[],
  call: (name: string, input?: unknown, options?: CallOptions) => Promise<CallResult | DialectOutput>,
  format: Format,
  options: WriteOptions = {},
): Promise<ToolFormats[Format]> {
  // Loaded on demand: brains that define their own tools do not need it.
  const { writeTools } = await import('@synapse/hands/providers');
  const caller: ToolCaller = { tools: () => described, call };
  return writeTools(described, caller, format, options);
}
