import * as z from 'zod';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** What was left out of a result, and how to get the rest. */
export const Truncation = z.strictObject({
  /** The limit that was reached first. */
  by: z.enum(['bytes', 'lines', 'entries', 'matches', 'time', 'depth']),
  shown: z.strictObject({ bytes: z.int().optional(), lines: z.int().optional(), entries: z.int().optional() }),
  /** Totals, if known. */
  total: z.strictObject({ bytes: z.int().optional(), lines: z.int().optional(), entries: z.int().optional() }),
  /** Handle of the full output: `read_file` and `search_text` accept it as `path`. */
  spill: z.string().optional(),
  /** How to continue, worded for models. */
  next: z.string().optional(),
});
export type Truncation = z.infer<typeof Truncation>;

/** A block of a result. A `note` is about the preceding text and not part of it. */
export const ContentBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('note'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), data: z.base64(), mimeType: z.string() }),
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

/** The operating-system confinement that a process ran under. */
export const SandboxTier = z.enum(['bubblewrap', 'landlock', 'seatbelt', 'none']);
export type SandboxTier = z.infer<typeof SandboxTier>;

/** A change that a call would make in the workspace. */
const PlannedChange = z.strictObject({
  kind: z.enum(['created', 'changed', 'deleted', 'moved']),
  path: z.string(),
  /** The former path, if it differs. */
  from: z.string().optional(),
  /** A unified diff, possibly truncated; undefined if there is none to show, with the reason in `note`. */
  diff: z.string().optional(),
  note: z.string().optional(),
  /** Numbers of lines that the whole diff adds and removes; undefined if it is not truncated. */
  lines: z.strictObject({ added: z.int(), removed: z.int() }).optional(),
});

/** What a call would have done. */
export const DryRun = z.strictObject({
  /** The policy's decision on the real call. */
  verdict: z.enum(['allow', 'ask', 'deny']),
  rule: z.string(),
  reason: z.string(),
  /** The access it needs, one line each. */
  effects: z.array(z.string()),
  changes: z.array(PlannedChange),
  /** What would happen to commits, branches and tags, one line each; undefined if it is not known. */
  repositories: z.array(z.string()).optional(),
  /** What the changes mean, one sentence each. */
  meaning: z.array(z.string()).optional(),
  /** Folders of packages and of output whose changes are only counted. */
  folded: z
    .array(
      z.strictObject({
        path: z.string(),
        files: z.int(),
        bytes: z.number(),
        packages: z.strictObject({ added: z.int(), changed: z.int(), deleted: z.int() }),
        isIgnored: z.boolean().optional(),
      }),
    )
    .optional(),
  /** Number of changes not listed. */
  more: z.int(),
  /** Changes on the copy that would not be applied to the workspace, such as a new device. */
  omitted: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  cautions: z.array(z.string()),
  /** Why these changes could not be applied. */
  blocked: z.string().optional(),
});
export type DryRun = z.infer<typeof DryRun>;

/** Facts about a call, for any outcome. */
export const CallMeta = z.strictObject({
  callId: z.string(),
  tool: z.string(),
  sessionId: z.string().optional(),
  stepId: z.string().optional(),
  /** Milliseconds from request to result. */
  durationMs: z.number(),
  /** One line for logs, such as `read_file(package.json) → 1.2KB`. */
  summary: z.string(),
  /** `failed` and `timeout` refer to a command that ran without success; the call itself succeeded. */
  completion: z.enum(['ok', 'failed', 'timeout']),
  truncation: Truncation.optional(),
  /** Set if a process ran for the call. */
  sandbox: SandboxTier.optional(),
  /** Set if a command ran: whether `undo` can revert its changes in the workspace. */
  undo: z.enum(['covered', 'not covered']).optional(),
  /** Set if a command ran on a copy, and its changes were then applied to the workspace. */
  appliedFrom: z.literal('copy').optional(),
  /** Set if a command ran: on a copy of the workspace, on the workspace read-only, in the workspace itself, or without a sandbox. */
  ran: z.enum(['copy', 'read-only', 'live', 'unconfined']).optional(),
  /** The id of the receipt of the command that ended in this call: `synapse receipt` prints it. */
  receipt: z.string().optional(),
  /** Handle of the changes that wait for approval; the workspace is unchanged. */
  pending: z.string().optional(),
  /** Set for a dry run: nothing was done. */
  dryRun: DryRun.optional(),
  /** What the call removed and `undo` cannot restore: files larger than a limit of the journal. Sizes in bytes. */
  tooLargeToUndo: z.array(z.strictObject({ path: z.string(), bytes: z.number(), limit: z.number() })).optional(),
});
export type CallMeta = z.infer<typeof CallMeta>;

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** A failure, worded for brains and users. */
export const CallError = z.strictObject({
  code: z.enum(codes),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type CallError = z.infer<typeof CallError>;

export const CallSuccess = z.strictObject({
  ok: z.literal(true),
  /** The content blocks as one text, for models. */
  output: z.string(),
  content: z.array(ContentBlock),
  /** The typed value, for programs. */
  data: z.unknown().optional(),
  meta: CallMeta,
});
export const CallFailure = z.strictObject({ ok: z.literal(false), error: CallError, meta: CallMeta });

/** The result of a call. */
export const CallResult = z.discriminatedUnion('ok', [CallSuccess, CallFailure]);
export type CallSuccess<Data = unknown> = Omit<z.infer<typeof CallSuccess>, 'data'> & { data: Data };
export type CallFailure = z.infer<typeof CallFailure>;
export type CallResult<Data = unknown> = CallSuccess<Data> | CallFailure;

/** Formats a failure for a model: what happened, then what to do next. */
export function errorText(error: CallError): string {
  return error.hint === undefined ? `Error: ${error.message}` : `Error: ${error.message}\n${error.hint}`;
}
