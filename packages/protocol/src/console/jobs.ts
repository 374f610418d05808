import * as z from 'zod';

/** A background command of any process. */
export const ConsoleJob = z.strictObject({
  id: z.string(),
  command: z.string(),
  cwd: z.string(),
  session: z.string(),
  call: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  endedAt: z.number().optional(),
  status: z.enum(['running', 'ending', 'ended']),
  detached: z.boolean(),
  exitCode: z.int().nullable(),
  /** How it ended, as text. */
  ending: z.string().optional(),
  sandbox: z.string().optional(),
});
export type ConsoleJob = z.infer<typeof ConsoleJob>;
