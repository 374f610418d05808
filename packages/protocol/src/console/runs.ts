import * as z from 'zod';

export const ConsoleRunStep = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Starts at 1. */
  index: z.int(),
  status: z.enum(['waiting', 'running', 'done']),
  ms: z.number().optional(),
  calls: z.int().optional(),
});
export type ConsoleRunStep = z.infer<typeof ConsoleRunStep>;

/** The sources of a report, and those it names without a call. */
export const ConsoleAttribution = z.strictObject({
  files: z.array(z.strictObject({ path: z.string(), read: z.boolean() })),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), made: z.boolean() })),
  confidence: z.string(),
});
export type ConsoleAttribution = z.infer<typeof ConsoleAttribution>;

/** A running or finished protocol or task. */
export const ConsoleRun = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Session of the run's calls. */
  session: z.string(),
  /** Undefined for a free task. */
  protocol: z.string().optional(),
  /** `offline`, or the name of the model. */
  brain: z.string(),
  /** `held`: stopped by the user between two calls. `paused`: the model is unreachable. */
  status: z.enum(['running', 'held', 'paused', 'stopped', 'done', 'incomplete', 'failed']),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  steps: z.array(ConsoleRunStep),
  /** Calls so far. */
  calls: z.int(),
  tokens: z.int().optional(),
  /** Why it ended early, or what failed. */
  reason: z.string().optional(),
  /** Text of the brain: for a protocol, the report without its front matter. */
  text: z.string(),
  attribution: ConsoleAttribution.optional(),
  /** Whether it can continue. */
  canResume: z.boolean(),
});
export type ConsoleRun = z.infer<typeof ConsoleRun>;
