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

/** A line of a file with who wrote it. */
export const ConsoleBlamedLine = z.strictObject({
  line: z.int(),
  text: z.string(),
  by: z.enum(['hands', 'person-or-other', 'before', 'unknown']),
  tool: z.string().optional(),
  call: z.string().optional(),
  session: z.string().optional(),
  /** ISO 8601. */
  time: z.string().optional(),
  approver: z.string().optional(),
  /** The tool of the call that formatted the line, where another call wrote it. */
  formattedBy: z.string().optional(),
});
export type ConsoleBlamedLine = z.infer<typeof ConsoleBlamedLine>;

/** The lines of a file. */
export const ConsoleBlame = z.strictObject({ lines: z.array(ConsoleBlamedLine), more: z.int() });
export type ConsoleBlame = z.infer<typeof ConsoleBlame>;

/** What differs between a moment and now. */
export const ConsolePastChanges = z.strictObject({ changes: z.array(ConsoleChange), more: z.boolean() });
export type ConsolePastChanges = z.infer<typeof ConsolePastChanges>;
