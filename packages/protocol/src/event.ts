import * as z from 'zod';
import { CallMeta, CallError } from './result.ts';

/** The progress of a running call. */
export const Progress = z.strictObject({
  message: z.string().optional(),
  /** New output since the last update, for live views. */
  output: z.string().optional(),
  stream: z.enum(['stdout', 'stderr']).optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
});
export type Progress = z.infer<typeof Progress>;

const identity = { callId: z.string(), tool: z.string(), sessionId: z.string().optional(), stepId: z.string().optional() };

/** The events of calls and jobs, the same for every interface. */
export const CallEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call-start'), ...identity, arguments: z.unknown().optional() }),
  z.strictObject({ type: z.literal('call-progress'), ...identity, ...Progress.shape }),
  z.strictObject({
    type: z.literal('call-end'),
    ...identity,
    ok: z.boolean(),
    error: CallError.optional(),
    meta: CallMeta,
  }),
  /** A job outlives its call, which the identity names. */
  z.strictObject({ type: z.literal('job-start'), ...identity, jobId: z.string(), command: z.string() }),
  z.strictObject({ type: z.literal('job-output'), ...identity, jobId: z.string(), output: z.string() }),
  z.strictObject({ type: z.literal('job-end'), ...identity, jobId: z.string(), exitCode: z.int().nullable(), ending: z.string() }),
]);
export type CallEvent = z.infer<typeof CallEvent>;
