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
  data: z.unknown(),
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
