import { CallError, CallEvent, CallFailure, CallSuccess, ContentBlock, Permission, Progress, SandboxTier, Truncation } from '@synapse/protocol';
import * as z from 'zod';
import { EffectSchema, FilledSchema, FormSchema, QuestionSchema, TrialSchema } from '../approval/question-schema.ts';
import { MODES } from '../policy/modes.ts';
import { amount, CallSettings, Limits } from './call-settings.ts';
import { Answer, Explanation, PendingChanges, QuarantinedFile, ShownChange, UndoPlan } from './shown-values.ts';

/** A tool of the embedding program, as the process of a branch knows it. */
export const ToolFacts = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  effects: z.enum(['read', 'write', 'exec', 'net', 'mcp']),
  keep: z.enum(['head', 'ends']),
  destructive: z.boolean().exactOptional(),
  idempotent: z.boolean().exactOptional(),
  outside: z.boolean().exactOptional(),
  verbatim: z.boolean().exactOptional(),
  renewableMs: z.number().exactOptional(),
  limits: Limits.exactOptional(),
});
export type ToolFacts = z.infer<typeof ToolFacts>;

/** What such a tool says about one call. */
export const ToolCall = z.strictObject({
  permissions: z.array(Permission),
  timeoutMs: z.number(),
  held: z.strictObject({ reason: z.string(), details: z.array(z.string()), hint: z.string() }).exactOptional(),
  /** Why the call is refused: its arguments are invalid. */
  refusal: z.strictObject({ code: CallError.shape.code, message: z.string(), hint: z.string().exactOptional() }).exactOptional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** The answer of such a tool, with what it says about it. */
export const ToolAnswer = z.strictObject({
  data: z.unknown(),
  content: z.union([z.string(), z.array(ContentBlock)]),
  contentBytes: z.number().exactOptional(),
  note: z.string().exactOptional(),
  truncation: Truncation.exactOptional(),
  sandbox: SandboxTier.exactOptional(),
  summary: z.string(),
  completion: z.enum(['ok', 'failed', 'timeout']),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;

const CallResult = z.discriminatedUnion('ok', [z.strictObject({ ...CallSuccess.shape, data: z.unknown() }), CallFailure]);
const none = z.never();
const nothing = z.null();
const Meanwhile = z.strictObject({ progress: Progress.exactOptional(), output: z.string().exactOptional() });
const selection = z.strictObject({ call: z.string().exactOptional(), session: z.string().exactOptional(), last: z.number().exactOptional() });

const NewestReceipt = z.strictObject({
  call: z.string(),
  command: z.string(),
  exit_code: z.number().nullable(),
  state: z.enum(['valid', 'stale', 'unknown']),
  changed: z.array(z.string()),
  folder: z.string(),
  ended: z.string(),
  duration_ms: z.number(),
  session: z.string().exactOptional(),
});

/** What the process of a branch answers. */
export const IN_BRANCH = {
  /** The first request: opens the hands. Options come from this program itself, and are checked where they are used. */
  open: {
    params: z.strictObject({ options: z.record(z.string(), z.unknown()), tools: z.array(ToolFacts), mode: z.enum(MODES) }),
    result: nothing,
    notice: none,
  },
  call: {
    params: z.strictObject({ name: z.string(), input: z.unknown(), settings: CallSettings, tool: ToolCall.exactOptional() }),
    result: CallResult,
    notice: Meanwhile,
  },
  dialect: {
    params: z.strictObject({ dialect: z.string(), name: z.string(), input: z.unknown(), settings: CallSettings }),
    result: z.strictObject({ value: z.unknown(), output: z.string(), isError: z.boolean(), result: CallResult }),
    notice: Meanwhile,
  },
  explain: { params: z.strictObject({ name: z.string(), input: z.unknown(), tool: ToolCall.exactOptional() }), result: Explanation, notice: none },
  undo: { params: z.strictObject({ selection, settings: CallSettings }), result: CallResult, notice: Meanwhile },
  receipts: { params: z.strictObject({}), result: z.array(NewestReceipt), notice: none },
  planUndo: { params: z.strictObject({ selection }), result: UndoPlan, notice: none },
  changes: {
    params: z.strictObject({ selection, diffs: z.union([z.boolean(), z.number()]).exactOptional() }),
    result: z.array(ShownChange),
    notice: none,
  },
  showPending: { params: z.strictObject({ handle: z.string() }), result: EffectSchema, notice: none },
  applyPending: { params: z.strictObject({ handle: z.string(), settings: CallSettings }), result: CallResult, notice: Meanwhile },
  dropPending: { params: z.strictObject({ handle: z.string() }), result: PendingChanges, notice: none },
  endSession: { params: z.strictObject({ sessionId: z.string() }), result: z.int(), notice: none },
  sweepHandedOver: {
    params: nothing,
    result: z.strictObject({ quarantined: z.array(QuarantinedFile), notes: z.array(z.string()) }),
    notice: none,
  },
  warmUp: { params: z.strictObject({ programs: z.boolean() }), result: nothing, notice: none },
  limitMode: { params: z.strictObject({ mode: z.enum(MODES) }), result: nothing, notice: none },
  revoke: { params: z.strictObject({ rules: z.array(z.string()) }), result: nothing, notice: none },
  /** Ends when it is cancelled. */
  events: { params: nothing, result: nothing, notice: CallEvent },
  /** Runs the trial of a question that waits. */
  tryOut: { params: z.strictObject({ question: z.int() }), result: TrialSchema, notice: none },
} as const;

/** What the process that opened a branch answers. */
export const AT_OWNER = {
  ask: {
    params: z.strictObject({ key: z.int(), question: z.int(), request: QuestionSchema, canTry: z.boolean() }),
    result: z.strictObject({ answer: Answer, by: z.string() }),
    /** Where a person sees the question. */
    notice: z.string(),
  },
  fill: { params: z.strictObject({ key: z.int(), form: FormSchema }), result: FilledSchema, notice: none },
  /** Runs a tool of the embedding program, with the arguments that it knows of the call. */
  run: {
    params: z.strictObject({
      key: z.int(),
      projectId: z.string(),
      callId: z.string(),
      limits: z.strictObject({ outputBytes: amount, outputLines: amount, lineCharacters: amount }),
      shell: z.enum(['bash', 'sh']),
      /** Whether what the tool needs approved was approved. */
      accepted: z.boolean(),
    }),
    result: ToolAnswer,
    notice: Progress,
  },
} as const;
