import { ERROR_CODES, Permission, SandboxTier, type ErrorCode } from '@synapse/protocol';
import * as z from 'zod';
import { CommandRecord } from '../call/command-record.ts';
import { RecordedChange } from '../workspace/changes/step.ts';

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** The fields that identify the call of a record. */
const identity = {
  call: z.string(),
  tool: z.string(),
  session: z.string().optional(),
  /** The protocol step that the call belongs to. */
  step: z.string().optional(),
  /** The mode of the brain, as given when the hands were opened. */
  mode: z.string().optional(),
  /** The call whose tool made this one. */
  parent: z.string().optional(),
  /** The call had no effect: it was a dry run. */
  dry_run: z.literal(true).optional(),
};

/** The fields of every line: its place in the chain and its time. */
const link = { seq: z.int().min(1), time: z.iso.datetime(), prev: z.string(), hash: z.string() };

/** The start of a call, written before any of it runs. */
export const StartRecord = z.object({
  ...link,
  type: z.literal('start'),
  ...identity,
  /** The real path of the workspace. */
  project: z.string(),
  /** Process id and start time of the process that runs the call. */
  process: z.string(),
  arguments: z.unknown(),
});

/** The end of a call, with any outcome. */
export const EndRecord = z.object({
  ...link,
  type: z.literal('end'),
  /** The `seq` of the start record. */
  start: z.int(),
  /** The job that ended. Its call ended before, with a record of its own: this one is the second. */
  job: z.string().optional(),
  ...identity,
  ok: z.boolean(),
  code: z.enum(codes).optional(),
  /** The cause of the failure, if the message does not say it. Not for the model: it may contain local paths. */
  cause: z.string().optional(),
  /** The built-in guard that blocked the call, such as `protected` or `secret`. */
  guard: z.string().optional(),
  completion: z.enum(['ok', 'failed', 'timeout']),
  summary: z.string(),
  duration_ms: z.number(),
  /** Number of bytes of text in the answer. */
  result_bytes: z.int(),
  effects: z.string().optional(),
  /** The resources, as named by the call. */
  resources: z.array(Permission).optional(),
  /** The paths in the workspace to which those names resolved. */
  resolved: z.array(z.string()).optional(),
  /** The rule that decided, the approver, and the answer. */
  rule: z.string().optional(),
  approver: z.string().optional(),
  answer: z.string().optional(),
  sandbox: SandboxTier.optional(),
  /** For a command: whether its changes are in the undo journal. */
  undo: z.enum(['covered', 'not covered']).optional(),
  /** Set if a command ran on a copy and its changes were then applied to the workspace. */
  applied_from: z.literal('copy').optional(),
  /** What the command stood on that ended in this call: receipts are made from it. */
  command: CommandRecord.optional(),
  changes: z.array(RecordedChange).optional(),
  /** Number of entries of these lists that the record omits. */
  more: z.object({ resources: z.int().optional(), resolved: z.int().optional(), changes: z.int().optional() }).optional(),
});

/** A record about the log. The repair of a tampered file writes one. */
export const NoticeRecord = z.object({
  ...link,
  type: z.literal('notice'),
  notice: z.enum(['torn', 'foreign', 'truncated', 'head-lost', 'pruned']),
  detail: z.string(),
  /** For `pruned`: the hash of the last removed record. */
  last: z.string().optional(),
});

export const AuditRecord = z.discriminatedUnion('type', [StartRecord, EndRecord, NoticeRecord]);
export type AuditRecord = z.infer<typeof AuditRecord>;
export type StartRecord = z.infer<typeof StartRecord>;
export type EndRecord = z.infer<typeof EndRecord>;
export type NoticeRecord = z.infer<typeof NoticeRecord>;

type Link = 'seq' | 'time' | 'prev' | 'hash';
/** A record that is not in the chain yet. */
export type UnlinkedRecord = Omit<StartRecord, Link> | Omit<EndRecord, Link> | Omit<NoticeRecord, Link>;
