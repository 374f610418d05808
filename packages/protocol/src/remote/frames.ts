import * as z from 'zod';
import { readFrameText } from './appended-text.ts';
import { parseBaseCall, type BadCall, type BaseCall } from './base-call.ts';
import { Identity } from './device.ts';
import { ForwardOp } from './forward-op.ts';
import { RemoteGrant } from './grant.ts';
import { MAX_CONFIRMED } from './settle-times.ts';
import { isTooDeep } from './too-deep.ts';

/** The protocol version of this code. */
export const PROTOCOL_VERSION = 2;
/** Maximum length of a frame in UTF-16 units. Far below the limits of platforms, which handle oversized messages badly. */
export const MAX_FRAME = 262_144;
/** Maximum bytes of a result sent inside its frame; longer ones are read in chunks. It fits even if every byte is escaped and sealed. */
export const INLINE_BYTES = 96_000;
/** Maximum number of a claim that continues. Relays count on from it; a number beyond what JSON carries exactly would break the session for good. */
export const MAX_EPOCH = 2 ** 40;
/** Maximum bytes of a chunk. Escaped as JSON and sealed it still fits in a frame. */
export const CHUNK_BYTES = 24_576;
/**
 * Maximum bytes of a larger chunk as JSON, also of one that is to be sealed. V8 takes pages from the system for each text of 128 KB and more, which
 * costs more than all else that is done with it.
 */
export const LARGE_CHUNK = { asJson: 126_000, sealed: 94_000 };

const id = z.string().min(1).max(160);
const count = z.int().min(0);
const sha = z.string().regex(/^[0-9a-f]{64}$/u);
/** Absolute limits, so that repeating one is harmless: the last sequence number and the last byte that may be sent. */
const Credit = z.object({ frames: count, bytes: count });
export type Credit = z.infer<typeof Credit>;

/** The outcome of a call. `interrupted`: it started, and its outcome is unknown. `expired`: it never started. */
export const CallStatus = z.enum(['success', 'error', 'cancelled', 'interrupted', 'expired', 'denied']);
export type CallStatus = z.infer<typeof CallStatus>;

/** The state of a call at the hands. */
export const CallPhase = z.enum(['unknown', 'queued', 'awaiting_approval', 'running', 'done']);
export type CallPhase = z.infer<typeof CallPhase>;

/** Data that can be read by offset: the result of a call, the output of a running one, or the list of tools. */
const ReadKind = z.enum(['result', 'output', 'tools']);

const Peer = z.object({ online: z.boolean(), epoch: count, ledger: id.optional() });
export type Peer = z.infer<typeof Peer>;

/** Sender and receiver of a sealed frame. `inst` and `n` identify the key and ensure that no nonce repeats. */
const Auth = z.object({ key: id, to: id, inst: id, n: count, box: z.string() });

/** Defines a frame that is sealed between paired devices. */
const sealable = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ ...shape, auth: Auth.optional() });

/** Frames about the connection itself. They have no sequence number. */
const CONTROL = {
  /** The relay speaks first, so that hands send nothing to a brain that only knows calls and results. */
  challenge: z.object({
    type: z.literal('challenge'),
    v: z.array(count),
    relay: id,
    nonce: z.string().max(128),
    /** The relay's time, in milliseconds since 1970. */
    time: count.optional(),
    /** Whether it can read texts that are appended to their frames. See `frameText`. */
    appends: z.boolean().optional(),
  }),
  hello: z.object({
    type: z.literal('hello'),
    v: count,
    role: z.enum(['hands', 'brain']),
    inst: id,
    /** 0 claims the session; another number continues an earlier claim. */
    epoch: count.max(MAX_EPOCH),
    /** The ledger of hands. A call names one ledger and runs on no other. */
    ledger: id.optional(),
    /** The last frame received from the relay, to resume a connection. */
    recv: z.object({ relay: id, seq: count }).optional(),
    credit: Credit,
    /** Whether it can read texts that are appended to their frames. */
    appends: z.boolean().optional(),
    /** The public keys of a paired device, and its signature. See `proofText`. */
    identity: Identity.optional(),
    proof: z.string().max(512).optional(),
  }),
  welcome: z.object({ type: z.literal('welcome'), epoch: count, resumed: z.boolean(), recv: count, credit: Credit, peer: Peer.optional() }),
  ack: z.object({ type: z.literal('ack'), ack: count, credit: Credit }),
  /** From hands to the relay: the devices that may use the session from now on. Removed devices are disconnected. */
  grants: z.object({ type: z.literal('grants'), grants: z.array(RemoteGrant).max(64) }),
  ping: z.object({ type: z.literal('ping') }),
  pong: z.object({ type: z.literal('pong') }),
};

/** Frames between hands and brain. Each has a sequence number on each connection it passes. */
const DATA = {
  tool_call: sealable({
    type: z.literal('tool_call'),
    id,
    tool: z.string().min(1).max(160),
    args: z.unknown(),
    dialect: id.optional(),
    hash: sha,
    ledger: id,
    /** Time the brain made the call, in milliseconds since 1970. Calls older than the ledger's memory do not run. */
    at: count,
    /** Milliseconds after which the call expires at the hands if it has not started. */
    queue_ms: count.optional(),
    deadline_ms: count.optional(),
    /** If set, the effects are described and nothing is done. Part of the hash: a machine that does not know the field rejects the call. */
    dry_run: z.literal(true).optional(),
    /** The workspace to work in. Sealed, and part of the hash. Default: the one that the device was paired with. */
    workspace: id.optional(),
    /** Whether the brain can read a result whose text is appended to its JSON. Sealed. */
    appends: z.literal(true).optional(),
    /** Whether the brain waits for the result alone: its output need not travel twice. Sealed. */
    quiet: z.literal(true).optional(),
  }),
  /** Only for a call that is late, has progress or waits for approval. For others, the result tells it. */
  tool_accepted: sealable({ type: z.literal('tool_accepted'), tool_call_id: id }),
  tool_progress: sealable({
    type: z.literal('tool_progress'),
    tool_call_id: id,
    /** Offset of `data` in the whole output, in bytes. */
    off: count,
    data: z.string(),
    message: z.string().optional(),
  }),
  tool_result: sealable({
    type: z.literal('tool_result'),
    tool_call_id: id,
    status: CallStatus,
    bytes: count,
    sha256: sha,
    /** The result, if it is short. */
    body: z.string().optional(),
  }),
  /** End to end: the brain has stored the results durably, so hands can forget them. */
  received: sealable({
    type: z.literal('received'),
    tool_call_id: id,
    /** Further calls. */
    also: z
      .array(id)
      .max(MAX_CONFIRMED - 1)
      .optional(),
  }),
  /** Always answered by a result: `cancelled` if the call had not started, else its outcome. */
  cancel: sealable({
    type: z.literal('cancel'),
    tool_call_id: id,
    ledger: id,
    /** When the call was made. It may arrive later, and must not run then. */
    at: count.optional(),
  }),
  /** Requests bytes from an offset. May be repeated at any time. */
  read: sealable({
    type: z.literal('read'),
    brain: id,
    of: ReadKind,
    /** The call id; for `tools` the format. */
    name: z.string().max(160),
    from: count,
    /** Maximum number of chunks. */
    chunks: z.int().min(1).max(16),
    /** Maximum bytes of the answer, as JSON. With it, a machine may send fewer and larger chunks, and marks the last one. */
    most: count.optional(),
    /** The workspace that tools are read of. A machine that knows none answers without it. */
    workspace: id.optional(),
  }),
  chunk: sealable({
    type: z.literal('chunk'),
    brain: id,
    of: ReadKind,
    name: z.string().max(160),
    from: count,
    data: z.string(),
    /** Offset of the next chunk, in bytes. */
    next: count,
    total: count,
    /** The answer to the request ends here. Only with `most`. */
    last: z.literal(true).optional(),
    /** The text may not be read by this device, or there is none. `data` says so, for brains of earlier versions. */
    refused: z.literal(true).optional(),
    workspace: id.optional(),
  }),
  /** About forwarded ports, between paired devices. `must`: a relay of an earlier version says that it cannot pass it on. */
  forward: sealable({ type: z.literal('forward'), brain: id, op: ForwardOp.nullable(), must: z.literal(true).optional() }),
  sync: sealable({ type: z.literal('sync'), brain: id, calls: z.array(id).max(1_000) }),
  state: sealable({ type: z.literal('state'), brain: id, calls: z.record(id, CallPhase) }),
  approval_request: sealable({
    type: z.literal('approval_request'),
    approval_id: id,
    tool_call_id: id,
    /** A decision names this hash and applies to exactly these arguments. */
    args_hash: z.string().min(1).max(128),
    tool: z.string().max(160),
    reason: z.string(),
    effects: z.array(z.string()),
    expires_at: count,
    /** Whether a decision of the receiving device would count. */
    may_decide: z.boolean().optional(),
    workspace: id.optional(),
  }),
  approval_decision: sealable({
    type: z.literal('approval_decision'),
    approval_id: id,
    tool_call_id: id,
    args_hash: z.string().min(1).max(128),
    option: z.enum(['allow_once', 'reject']),
  }),
  /** From the relay to brains: the state of the hands. */
  peer: Peer.extend({ type: z.literal('peer') }),
  error: sealable({
    type: z.literal('error'),
    /** `forbidden`: a request about the call; `denied`: the call itself, by the device's grant. */
    code: z.enum(['id_reuse', 'backlog_full', 'forbidden', 'denied', 'unsupported', 'malformed']),
    message: z.string(),
    tool_call_id: id.optional(),
  }),
};

type Shapes<Table extends Record<string, z.ZodType>> = { [Name in keyof Table]: z.infer<Table[Name]> };
export type ControlFrames = Shapes<typeof CONTROL>;
export type DataFrames = Shapes<typeof DATA>;
export type ControlFrame = ControlFrames[keyof ControlFrames];
export type DataFrame = DataFrames[keyof DataFrames];
/** A frame of a newer version. It is counted but otherwise ignored, unless `must` is set. */
export interface UnknownFrame {
  readonly type: 'unknown';
  readonly must: boolean;
}

/** The fields that all frames have. */
interface Envelope {
  readonly type: string;
  readonly seq: number | undefined;
  readonly ack: number;
  readonly must: boolean;
}

const isCount = (value: unknown, least: number): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= least;

/** Reads the fields that all frames have; undefined if they are invalid. By hand, because every party does it for every frame. */
function envelopeOf(value: unknown): Envelope | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const seq = 'seq' in value ? value.seq : undefined;
  const ack = 'ack' in value ? value.ack : 0;
  const must = 'must' in value ? value.must : false;
  if (typeof value.type !== 'string' || value.type.length > 64 || typeof must !== 'boolean' || !isCount(ack, 0)) return undefined;
  return seq === undefined || isCount(seq, 1) ? { type: value.type, seq, ack, must } : undefined;
}

/** A parsed text. */
export type ParsedText =
  | { readonly kind: 'control'; readonly frame: ControlFrame }
  | { readonly kind: 'data'; readonly seq: number; readonly ack: number; readonly frame: DataFrame | UnknownFrame }
  | { readonly kind: 'base'; readonly call: BaseCall }
  | BadCall
  | { readonly kind: 'malformed'; readonly reason: string };

const malformed = (reason: string): ParsedText => ({ kind: 'malformed', reason });

const has = <Table extends object>(table: Table, name: string): name is keyof Table & string => Object.hasOwn(table, name);

/** Parses a frame between hands and brain; undefined if it is invalid. */
export function parseDataFrame(value: unknown): DataFrame | undefined {
  const type = envelopeOf(value)?.type ?? '';
  return has(DATA, type) ? DATA[type].safeParse(value).data : undefined;
}

/** Parses a text from the wire. Never throws. */
export function parseText(text: string): ParsedText {
  // Plain words, so that a platform can answer them without waking the program.
  if (text === 'ping' || text === 'pong') return { kind: 'control', frame: { type: text } };
  const value = readFrameText(text);
  const envelope = envelopeOf(value);
  if (envelope === undefined || isTooDeep(value)) return parseBaseCall(value) ?? malformed('not a JSON object with a type, or nested too deep');
  const { type, seq, ack, must } = envelope;
  if (has(CONTROL, type)) {
    const read = CONTROL[type].safeParse(value);
    return read.success ? { kind: 'control', frame: read.data } : malformed(`not a valid ${type}`);
  }
  if (seq === undefined) return parseBaseCall(value) ?? malformed(`${type} without a sequence number`);
  if (!has(DATA, type)) return { kind: 'data', seq, ack, frame: { type: 'unknown', must } };
  const read = DATA[type].safeParse(value);
  return read.success ? { kind: 'data', seq, ack, frame: read.data } : (parseBaseCall(value) ?? malformed(`not a valid ${type}`));
}

/** Formats a frame about the connection. */
export function controlText(frame: ControlFrame): string {
  return frame.type === 'ping' || frame.type === 'pong' ? frame.type : JSON.stringify(frame);
}
