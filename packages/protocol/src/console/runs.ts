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

const n = z.int();

/** An entry of the transcript of a run. `n` is its position, and stays. */
export const ConsoleEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    n,
    from: z.enum(['user', 'model', 'thought']),
    text: z.string(),
    /** `queued`: the model reads it before its next turn. `streaming`: it is not complete. */
    state: z.enum(['queued', 'streaming']).optional(),
    /** Characters that were left out. */
    cut: z.int().optional(),
  }),
  z.strictObject({
    kind: z.literal('call'),
    n,
    /** Id of the call, as in the list of calls. */
    call: z.string(),
    tool: z.string(),
    /** The arguments in one line. */
    args: z.string(),
    status: z.enum(['running', 'ok', 'failed', 'interrupted']),
    /** The outcome in one line. */
    summary: z.string().optional(),
    ms: z.number().optional(),
  }),
  z.strictObject({ kind: z.literal('step'), n, title: z.string(), index: z.int(), total: z.int() }),
  z.strictObject({ kind: z.literal('note'), n, text: z.string() }),
]);
export type ConsoleEntry = z.infer<typeof ConsoleEntry>;

/** A part of a transcript, from `from` up to and without `to`. */
export const ConsoleTranscript = z.strictObject({
  /** Those that changed since the asked revision. */
  entries: z.array(ConsoleEntry),
  from: z.int(),
  to: z.int(),
  /** The oldest entry that is kept, and the end of all. */
  first: z.int(),
  last: z.int(),
  revision: z.int(),
});
export type ConsoleTranscript = z.infer<typeof ConsoleTranscript>;

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
  /** US dollars, if the price is known. */
  costUsd: z.number().optional(),
  /** Increases with each change of the transcript. */
  revision: z.int(),
  /** Whether another process runs it, or did and ended without a word. */
  elsewhere: z.literal(true).optional(),
  /** Whether the user can say something to the model. */
  canSay: z.boolean(),
  /** Why it ended early, or what failed. */
  reason: z.string().optional(),
  /** The report of a protocol, without its front matter. */
  text: z.string(),
  attribution: ConsoleAttribution.optional(),
  /** Whether it can continue. */
  canResume: z.boolean(),
});
export type ConsoleRun = z.infer<typeof ConsoleRun>;
