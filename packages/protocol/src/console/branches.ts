import * as z from 'zod';
import { ConsoleCallStatus } from './calls.ts';
import { ConsoleEffect } from './views.ts';

const Command = z.strictObject({ line: z.string(), time: z.number(), status: ConsoleCallStatus });

/** A branch, with who works in it. */
export const ConsoleBranch = z.strictObject({
  name: z.string(),
  /** The branch that it is based on; null for the workspace. */
  from: z.string().nullable(),
  /** Milliseconds since 1970. */
  created: z.number(),
  /** Number of changed files and other entries. */
  changes: z.int(),
  /** Whether a process works in it, so that it can be neither applied nor dropped. */
  inUse: z.boolean(),
  /** The last command. */
  command: Command.optional(),
  /** The last check of an attempt, or the last command that runs tests. */
  tests: Command.extend({ /** Whether something was changed since. */ changedSince: z.boolean() }).optional(),
  jobs: z.array(z.strictObject({ id: z.string(), command: z.string(), /** On which its servers listen. */ ports: z.array(z.int()) })),
  /** The newest first. */
  sessions: z.array(
    z.strictObject({
      /** Null for calls without a session. */
      session: z.string().nullable(),
      /** The task, if a model worked on one. */
      title: z.string().optional(),
      calls: z.int(),
      /** The tool of the newest call. */
      tool: z.string().optional(),
      /** Time of the newest call, in milliseconds since 1970. */
      time: z.number(),
      running: z.boolean(),
    }),
  ),
});
export type ConsoleBranch = z.infer<typeof ConsoleBranch>;

/** What both sides changed. */
const ConsoleConflict = z.strictObject({ path: z.string(), detail: z.string() });
export type ConsoleConflict = z.infer<typeof ConsoleConflict>;

const PlacedLines = z.strictObject({ /** From 1. */ line: z.int(), lines: z.array(z.string()) });
const ConflictVersion = z.strictObject({ what: z.string(), isText: z.boolean() });

/** The three versions of a conflict. */
export const ConsoleShownConflict = z.strictObject({
  versions: z.strictObject({ base: ConflictVersion, branch: ConflictVersion, workspace: ConflictVersion }),
  /** Whether the lines of both sides can be merged, with a side for each place that both changed. */
  mergeable: z.boolean(),
  /** Where they differ, if all are texts. */
  places: z.array(
    z.strictObject({
      /** Whether both sides changed it, in different ways. */
      both: z.boolean(),
      before: z.array(z.string()),
      base: PlacedLines,
      branch: PlacedLines,
      workspace: PlacedLines,
      after: z.array(z.string()),
    }),
  ),
  /** Number of places that are not listed. */
  more: z.int(),
});
export type ConsoleShownConflict = z.infer<typeof ConsoleShownConflict>;

/** What applying a branch would change, and what it would leave. */
export const ConsoleBranchEffect = ConsoleEffect.extend({
  /** Files that get what both sides changed. */
  merged: z.array(z.string()),
  /** They would not be applied. */
  conflicts: z.array(ConsoleConflict),
  /** The branch with changes that it is based on, which it is compared with, and which is applied before it; null for the workspace. */
  comparedWith: z.string().nullable(),
});
export type ConsoleBranchEffect = z.infer<typeof ConsoleBranchEffect>;

/** What was applied of a branch. What was not stays in it. */
export const ConsoleApplied = z.strictObject({
  message: z.string(),
  /** The call, which can be undone. */
  call: z.string(),
  applied: z.int(),
  left: z.int(),
  conflicts: z.array(ConsoleConflict),
});
export type ConsoleApplied = z.infer<typeof ConsoleApplied>;
