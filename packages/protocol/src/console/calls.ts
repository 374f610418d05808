import * as z from 'zod';
import { SandboxTier } from '../result.ts';

/** `interrupted`: the process that ran it disappeared without reporting the end. */
export const ConsoleCallStatus = z.enum(['running', 'ok', 'failed', 'interrupted']);
export type ConsoleCallStatus = z.infer<typeof ConsoleCallStatus>;

/** The decision of the policy: `approved` by a user, `asked` without an approver. */
export const ConsoleVerdict = z.enum(['allowed', 'approved', 'asked', 'denied']);
export type ConsoleVerdict = z.infer<typeof ConsoleVerdict>;

/** A call as a row of the list. */
export const ConsoleCall = z.strictObject({
  /** Position in the audit log: the order and identity of rows. */
  n: z.int(),
  id: z.string(),
  tool: z.string(),
  /** The arguments in one line. */
  args: z.string(),
  /** Start, in milliseconds since 1970. */
  time: z.number(),
  status: ConsoleCallStatus,
  ms: z.number().optional(),
  /** Size of the result in bytes. */
  bytes: z.int().optional(),
  verdict: ConsoleVerdict.optional(),
  sandbox: SandboxTier.optional(),
  step: z.string().optional(),
  session: z.string().optional(),
  /** Error code of a failure. */
  code: z.string().optional(),
  dryRun: z.literal(true).optional(),
});
export type ConsoleCall = z.infer<typeof ConsoleCall>;

/** A call in the timeline of a run. */
export const ConsoleTimelineCall = ConsoleCall.extend({
  /** The answer in one line. */
  summary: z.string().optional(),
  /** Some of the changes. */
  changes: z.array(z.strictObject({ kind: z.string(), path: z.string(), to: z.string().optional() })),
  /** Number of all changes. */
  changed: z.int(),
});
export type ConsoleTimelineCall = z.infer<typeof ConsoleTimelineCall>;

/** Calls of a run in order. */
export const ConsoleTimeline = z.strictObject({ calls: z.array(ConsoleTimelineCall), /** Whether there are earlier ones. */ more: z.boolean() });
export type ConsoleTimeline = z.infer<typeof ConsoleTimeline>;

/** A change to a file, with its diff. */
export const ConsoleChange = z.strictObject({
  kind: z.enum(['created', 'changed', 'deleted', 'moved']),
  path: z.string(),
  from: z.string().optional(),
  /** Whether the file is still as the call left it. */
  current: z.boolean().optional(),
  diff: z.string().optional(),
  /** Why the diff is missing. */
  note: z.string().optional(),
  /** Numbers of lines that the whole diff adds and removes; undefined if none of it was cut off. */
  lines: z.strictObject({ added: z.int(), removed: z.int() }).optional(),
});
export type ConsoleChange = z.infer<typeof ConsoleChange>;

/** All details of a call. */
export const ConsoleCallDetail = z.strictObject({
  call: ConsoleCall,
  /** As JSON, from the audit log, which truncates long texts. */
  input: z.string(),
  /** Undefined if no process kept it. */
  output: z.string().optional(),
  /** The error message and hint. */
  error: z.string().optional(),
  summary: z.string().optional(),
  project: z.string(),
  process: z.string(),
  mode: z.string().optional(),
  /** The rule that made the decision. */
  rule: z.string().optional(),
  approver: z.string().optional(),
  answer: z.string().optional(),
  guard: z.string().optional(),
  resources: z.array(z.strictObject({ action: z.string(), resource: z.string() })),
  undo: z.enum(['covered', 'not covered']).optional(),
  changes: z.array(ConsoleChange),
  /** Why the changes cannot be shown. */
  changesNote: z.string().optional(),
});
export type ConsoleCallDetail = z.infer<typeof ConsoleCallDetail>;
