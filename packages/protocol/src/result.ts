import * as z from 'zod';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import { Truncation } from './truncation.ts';

/** A piece of an answer. A `note` tells about the text before it and is not part of it. */
export const ContentBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('note'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), data: z.base64(), mimeType: z.string() }),
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

/** Which operating-system confinement a process ran under. */
export const SandboxTier = z.enum(['bubblewrap', 'seatbelt', 'none']);
export type SandboxTier = z.infer<typeof SandboxTier>;

/** One change that a call would make in the workspace. */
const RehearsedChange = z.strictObject({
  kind: z.enum(['created', 'changed', 'deleted', 'moved']),
  path: z.string(),
  /** Where it was before, where that was elsewhere. */
  from: z.string().optional(),
  /** A unified diff, cut where it is long; undefined where there is none to show, for which `note` has the reason. */
  diff: z.string().optional(),
  note: z.string().optional(),
});

/** What a call would have done. */
export const DryRun = z.strictObject({
  /** What the policy says to the call for real. */
  verdict: z.enum(['allow', 'ask', 'deny']),
  rule: z.string(),
  reason: z.string(),
  /** What it needs, in words, a line each. */
  effects: z.array(z.string()),
  changes: z.array(RehearsedChange),
  /** Changes beyond those listed. */
  more: z.int(),
  /** What a command did on its copy that would not be done in the workspace, such as making a device. */
  omitted: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  cautions: z.array(z.string()),
  /** Why exactly this could not be applied. */
  blocked: z.string().optional(),
});
export type DryRun = z.infer<typeof DryRun>;

/** Facts about a call, whatever came of it. */
export const CallMeta = z.strictObject({
  callId: z.string(),
  tool: z.string(),
  sessionId: z.string().optional(),
  stepId: z.string().optional(),
  /** Milliseconds from request to result. */
  durationMs: z.number(),
  /** One line for logs, such as `read_file(package.json) → 1.2KB`. */
  summary: z.string(),
  /** `failed` and `timeout` tell of a command that ran and did not succeed; the call itself did. */
  completion: z.enum(['ok', 'failed', 'timeout']),
  truncation: Truncation.optional(),
  /** Present where a process ran for the call. */
  sandbox: SandboxTier.optional(),
  /** Present where a command ran: whether `undo` can take back what it changed in the workspace. */
  undo: z.enum(['covered', 'not covered']).optional(),
  /** Present where a command ran on a copy, and what it changed there was then done in the workspace. */
  appliedFrom: z.literal('copy').optional(),
  /** Present where a command ran: on a copy of the workspace, on the workspace read-only, in the workspace itself, or without a sandbox. */
  ran: z.enum(['copy', 'read-only', 'live', 'unconfined']).optional(),
  /** What a person calls the changes by that wait for them; the workspace is unchanged. */
  pending: z.string().optional(),
  /** Present where nothing was done, and this is what would have been. */
  dryRun: DryRun.optional(),
  /** What the call took away and `undo` cannot give back: sizes over a limit of the journal, in bytes. */
  tooLargeToUndo: z.array(z.strictObject({ path: z.string(), bytes: z.number(), limit: z.number() })).optional(),
});
export type CallMeta = z.infer<typeof CallMeta>;

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** A failure as a brain or a person reads it. */
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
  /** What a model reads: the content blocks as one text. */
  output: z.string(),
  content: z.array(ContentBlock),
  /** The typed value, for programs. */
  data: z.unknown().optional(),
  meta: CallMeta,
});
export const CallFailure = z.strictObject({ ok: z.literal(false), error: CallError, meta: CallMeta });

/** What came of a call. */
export const CallResult = z.discriminatedUnion('ok', [CallSuccess, CallFailure]);
export type CallSuccess<Data = unknown> = Omit<z.infer<typeof CallSuccess>, 'data'> & { data: Data };
export type CallFailure = z.infer<typeof CallFailure>;
export type CallResult<Data = unknown> = CallSuccess<Data> | CallFailure;

/** The text of a failure for a model: what happened, then what to do next. */
export function errorText(error: CallError): string {
  return error.hint === undefined ? `Error: ${error.message}` : `Error: ${error.message}\n${error.hint}`;
}
