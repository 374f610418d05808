import * as z from 'zod';
import { ConsoleChange } from './calls.ts';

/** A call of a session, in the order in which they began. */
export const ConsolePastCall = z.strictObject({
  call: z.string(),
  tool: z.string(),
  /** Milliseconds since 1970. */
  time: z.number(),
  /** Number of changed entries. */
  changes: z.int(),
});
export type ConsolePastCall = z.infer<typeof ConsolePastCall>;

/** A folder of the workspace at a moment. */
export const ConsolePastFolder = z.strictObject({
  entries: z.array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      type: z.enum(['file', 'directory', 'link', 'other']),
      size: z.number().optional(),
      target: z.string().optional(),
      /** Something else than a call changed it since, so it is shown as it is now. */
      changedSince: z.boolean(),
    }),
  ),
  /** Number of entries that are left out. */
  more: z.int(),
  /** Number of commands since then whose changes are not recorded. */
  uncovered: z.int(),
});
export type ConsolePastFolder = z.infer<typeof ConsolePastFolder>;

/** A file of the workspace at a moment. */
export const ConsolePastFile = z.strictObject({
  text: z.string().optional(),
  /** Why there is no text, or what of it is left out. */
  note: z.string().optional(),
  changedSince: z.boolean(),
});
export type ConsolePastFile = z.infer<typeof ConsolePastFile>;

/** What differs between a moment and now. */
export const ConsolePastChanges = z.strictObject({ changes: z.array(ConsoleChange), more: z.boolean() });
export type ConsolePastChanges = z.infer<typeof ConsolePastChanges>;
