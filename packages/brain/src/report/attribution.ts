import * as z from 'zod';

/** How complete the evidence is. */
export const Confidence = z.enum(['high', 'medium', 'low']);
export type Confidence = z.infer<typeof Confidence>;

/** The sources of a report. */
export const Attribution = z.object({
  /** Paths relative to the top folder, in the order they were read. */
  files_read: z.array(z.string()),
  /** Number of calls by tool. */
  tool_calls: z.record(z.string(), z.int().nonnegative()),
  confidence: Confidence,
});
export type Attribution = z.infer<typeof Attribution>;
