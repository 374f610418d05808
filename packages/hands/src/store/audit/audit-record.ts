import { ERROR_CODES, Permission, SandboxTier, type ErrorCode } from '@synapse/protocol';
import * as z from 'zod';

const codes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** Who a record belongs to. */
const identity = {
  call: z.string(),
  tool: z.string(),
  session: z.string().optional(),
  /** The protocol step that the call belongs to. */
  step: z.string().optional(),
  /** How the brain works at the moment, as whoever opened the hands says. */
  mode: z.string().optional(),
  /** Nothing was done: it was only tried. */
  dry_run: z.literal(true).optional(),
};

/** What every line has: its place in the chain, and when it was written. */
const link = { seq: z.int().min(1), time: z.iso.datetime(), prev: z.string(), hash: z.string() };

/** A change of one entry of the workspace; null is a content that was not there or is not known. */
export const RecordedChange = z.object({
  kind: z.enum(['write', 'create', 'delete', 'mkdir', 'rmdir', 'move', 'link']),
  path: z.string(),
  to: z.string().optional(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type RecordedChange = z.infer<typeof RecordedChange>;

/** A call begins: what is to run, written before any of it does. */
export const StartRecord = z.object({
  ...link,
  type: z.literal('start'),
  ...identity,
  /** The real path of the workspace. */
  project: z.string(),
  /** Number and start time of the process that runs the call. */
  process: z.string(),
  arguments: z.unknown(),
});

/** A call has ended, whatever came of it. */
export const EndRecord = z.object({
  ...link,
  type: z.literal('end'),
  /** The `seq` of the record of its start. */
  start: z.int(),
  ...identity,
  ok: z.boolean(),
  code: z.enum(codes).optional(),
  /** What lies behind the failure, where it is not the message. For a person alone: it may name places of this machine. */
  cause: z.string().optional(),
  /** Which guard of Synapse's own kept the call from a place, such as `protected` or `secret`. */
  guard: z.string().optional(),
  completion: z.enum(['ok', 'failed', 'timeout']),
  summary: z.string(),
  duration_ms: z.number(),
  /** Bytes of text that the answer shows. */
  result_bytes: z.int(),
  effects: z.string().optional(),
  /** The resources as the call named them. */
  resources: z.array(Permission).optional(),
  /** The places below the workspace that those names turned out to be. */
  resolved: z.array(z.string()).optional(),
  /** The rule that decided, who was asked, and what they said. */
  rule: z.string().optional(),
  approver: z.string().optional(),
  answer: z.string().optional(),
  sandbox: SandboxTier.optional(),
  /** Of a command: whether what it changed is in the undo journal. */
  undo: z.enum(['covered', 'not covered']).optional(),
  /** A command ran on a copy, and what it changed there was then done in the workspace. */
  applied_from: z.literal('copy').optional(),
  changes: z.array(RecordedChange).optional(),
  /** How many entries of these lists there were beyond those that the record holds. */
  more: z.object({ resources: z.int().optional(), resolved: z.int().optional(), changes: z.int().optional() }).optional(),
});

/** What the log tells about itself; a tampered file cannot be mended without one. */
export const NoticeRecord = z.object({
  ...link,
  type: z.literal('notice'),
  notice: z.enum(['torn', 'foreign', 'truncated', 'head-lost', 'pruned']),
  detail: z.string(),
  /** Of `pruned`: the hash of the last record that was removed. */
  last: z.string().optional(),
});

export const AuditRecord = z.discriminatedUnion('type', [StartRecord, EndRecord, NoticeRecord]);
export type AuditRecord = z.infer<typeof AuditRecord>;
export type StartRecord = z.infer<typeof StartRecord>;
export type EndRecord = z.infer<typeof EndRecord>;
export type NoticeRecord = z.infer<typeof NoticeRecord>;

type Link = 'seq' | 'time' | 'prev' | 'hash';
/** A record before it has its place in the chain. */
export type UnlinkedRecord = Omit<StartRecord, Link> | Omit<EndRecord, Link> | Omit<NoticeRecord, Link>;
