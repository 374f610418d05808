import * as z from 'zod';

/** What was left out of an answer, and how to see the rest. */
export const Truncation = z.strictObject({
  /** The limit that was hit first. */
  by: z.enum(['bytes', 'lines', 'entries', 'matches', 'time', 'depth']),
  shown: z.strictObject({ bytes: z.int().optional(), lines: z.int().optional(), entries: z.int().optional() }),
  /** Totals, where they are known. */
  total: z.strictObject({ bytes: z.int().optional(), lines: z.int().optional(), entries: z.int().optional() }),
  /** Handle of the whole output: `read_file` and `search_text` take it as `path`. */
  spill: z.string().optional(),
  /** How to go on, in words for the model. */
  next: z.string().optional(),
});
export type Truncation = z.infer<typeof Truncation>;
