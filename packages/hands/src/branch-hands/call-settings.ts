import * as z from 'zod';
import type { CallOptions } from '../call/call.ts';

/** Infinity is a limit too. */
export const amount = z.custom<number>((value) => typeof value === 'number');
export const Limits = z.object({ outputBytes: amount.exactOptional(), outputLines: amount.exactOptional(), lineCharacters: amount.exactOptional() });

/** The options of a call that are data. */
const Data = z.object({
  callId: z.string().exactOptional(),
  sessionId: z.string().exactOptional(),
  stepId: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  approvalTimeoutMs: amount.exactOptional(),
  timeoutMs: amount.exactOptional(),
  limits: Limits.exactOptional(),
  readerLimits: z.object({ ...Limits.shape, jsonCharacters: amount.exactOptional() }).exactOptional(),
  parents: z.array(z.string()).exactOptional(),
  mayCall: z.array(z.string()).exactOptional(),
  calledAs: z.string().exactOptional(),
  asksFirst: z.enum(['none', 'changes', 'all']).exactOptional(),
  foreground: z.boolean().exactOptional(),
  shell: z.literal('sh').exactOptional(),
  dryRun: z.boolean().exactOptional(),
  dryRunFor: z.enum(['person', 'agent']).exactOptional(),
  inDryRun: z.boolean().exactOptional(),
  remote: z.boolean().exactOptional(),
});

/** The options of a call in a branch, as its process gets them. */
export const CallSettings = z.strictObject({
  /** Names the call in requests about it. */
  key: z.int(),
  /** The approver of the call; undefined if it has none. */
  approver: z.strictObject({ name: z.string(), fills: z.boolean() }).exactOptional(),
  /** Whether the caller follows its progress, and its output. */
  watches: z.boolean(),
  hears: z.boolean(),
  options: Data,
});
export type CallSettings = z.infer<typeof CallSettings>;

/** The options of a call that are data: the others cannot leave the process. */
export function dataOf(options: CallOptions): z.infer<typeof Data> {
  const given = Object.entries(options).filter(([name, value]) => Object.hasOwn(Data.shape, name) && value !== undefined);
  return Data.parse(Object.fromEntries(given));
}
