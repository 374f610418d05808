import * as z from 'zod';

/** How much was seen. */
export const Confidence = z.enum(['high', 'medium', 'low']);
export type Confidence = z.infer<typeof Confidence>;

/** What a report rests on. */
export const Attribution = z.object({
  /** Paths from the top folder, in the order they were read. */
  files_read: z.array(z.string()),
  /** Calls made, by tool. */
  tool_calls: z.record(z.string(), z.int().nonnegative()),
  confidence: Confidence,
});
export type Attribution = z.infer<typeof Attribution>;
