import * as z from 'zod';

/** Version of the protocol that this code speaks. */
export const PROTOCOL_VERSION = 1;
/** The longest frame, in UTF-16 units: far below what platforms cap, since they fail badly there. */
export const MAX_FRAME = 262_144;
/** A result up to so many bytes travels inside its frame; a longer one is read in chunks. */
export const INLINE_BYTES = 65_536;
/** Bytes of one chunk. Escaped as JSON it still fits in a frame. */
export const CHUNK_BYTES = 32_768;

const id = z.string().min(1).max(160);
const count = z.int().min(0);
const sha = z.string().regex(/^[0-9a-f]{64}$/u);
/** Absolute bounds, so that saying one twice changes nothing: the last sequence number and the last byte that may be sent. */
const Credit = z.object({ frames: count, bytes: count });
export type Credit = z.infer<typeof Credit>;

/** What a call came to. `interrupted`: it was started, and what came of it is not known. `expired`: it was never started. */
export const CallStatus = z.enum(['success', 'error', 'cancelled', 'interrupted', 'expired', 'denied']);
export type CallStatus = z.infer<typeof CallStatus>;

/** Where a call stands at hands. */
export const CallPhase = z.enum(['unknown', 'queued', 'awaiting_approval', 'running', 'done']);
export type CallPhase = z.infer<typeof CallPhase>;

/** What can be read by offset: the result of a call, the output of one that runs, the list of tools. */
const ReadKind = z.enum(['result', 'output', 'tools']);

const Peer = z.object({ online: z.boolean(), epoch: count, ledger: id.optional() });
export type Peer = z.infer<typeof Peer>;

/** Frames about the connection itself. They have no sequence number. */
const CONTROL = {
  /** The relay speaks first, so that hands say nothing to a brain that knows only calls and results. */
  challenge: z.object({ type: z.literal('challenge'), v: z.array(count), relay: id, nonce: z.string().max(128) }),
  hello: z.object({
    type: z.literal('hello'),
    v: count,
    role: z.enum(['hands', 'brain']),
    inst: id,
    /** 0 claims the session; another number goes on with an earlier claim. */
    epoch: count,
    /** Of hands: which ledger they keep. A call is for one ledger, and no other runs it. */
    ledger: id.optional(),
    /** What of the relay's frames is here, where this is a connection that goes on. */
    recv: z.object({ relay: id, seq: count }).optional(),
    credit: Credit,
    proof: z.string().max(512).optional(),
  }),
  welcome: z.object({ type: z.literal('welcome'), epoch: count, resumed: z.boolean(), recv: count, credit: Credit, peer: Peer.optional() }),
  ack: z.object({ type: z.literal('ack'), ack: count, credit: Credit }),
  ping: z.object({ type: z.literal('ping') }),
  pong: z.object({ type: z.literal('pong') }),
};

/** Frames between hands and brain. Each has a sequence number on each line it travels. */
const DATA = {
  tool_call: z.object({
    type: z.literal('tool_call'),
    id,
    tool: z.string().min(1).max(160),
    args: z.unknown(),
    dialect: id.optional(),
    hash: sha,
    ledger: id,
    /** When the brain made it, in milliseconds since 1970: one from before what the ledger remembers is not run. */
    at: count,
    /** Not started after so many milliseconds at hands, it expires. */
    queue_ms: count.optional(),
    deadline_ms: count.optional(),
  }),
  tool_accepted: z.object({ type: z.literal('tool_accepted'), tool_call_id: id }),
  tool_progress: z.object({
    type: z.literal('tool_progress'),
    tool_call_id: id,
    /** Where `data` starts in the whole output, in bytes. */
    off: count,
    data: z.string(),
    message: z.string().optional(),
  }),
  tool_result: z.object({
    type: z.literal('tool_result'),
    tool_call_id: id,
    status: CallStatus,
    bytes: count,
    sha256: sha,
    /** The result, where it is short. */
    body: z.string().optional(),
  }),
  /** End to end: the brain has the result for good, and hands need not keep it. */
  received: z.object({ type: z.literal('received'), tool_call_id: id }),
  /** Gets a result in any case: `cancelled` where the call was not started, else what it came to. */
  cancel: z.object({ type: z.literal('cancel'), tool_call_id: id, ledger: id }),
  /** Asks for bytes from an offset on; may be asked again at any time. */
  read: z.object({
    type: z.literal('read'),
    brain: id,
    of: ReadKind,
    /** The call, or for `tools` the format. */
    name: z.string().max(160),
    from: count,
    /** At most so many chunks. */
    chunks: z.int().min(1).max(16),
  }),
  chunk: z.object({
    type: z.literal('chunk'),
    brain: id,
    of: ReadKind,
    name: z.string().max(160),
    from: count,
    data: z.string(),
    /** Where the next chunk starts, in bytes. */
    next: count,
    total: count,
  }),
  sync: z.object({ type: z.literal('sync'), calls: z.array(id).max(1_000) }),
  state: z.object({ type: z.literal('state'), calls: z.record(id, CallPhase) }),
  approval_request: z.object({
    type: z.literal('approval_request'),
    approval_id: id,
    tool_call_id: id,
    /** A decision names it, and is for exactly these arguments. */
    args_hash: z.string().min(1).max(128),
    tool: z.string().max(160),
    reason: z.string(),
    effects: z.array(z.string()),
    expires_at: count,
  }),
  approval_decision: z.object({
    type: z.literal('approval_decision'),
    approval_id: id,
    tool_call_id: id,
    args_hash: z.string().min(1).max(128),
    option: z.enum(['allow_once', 'reject']),
  }),
  /** From the relay to brains: how it stands with the hands. */
  peer: Peer.extend({ type: z.literal('peer') }),
  error: z.object({
    type: z.literal('error'),
    code: z.enum(['id_reuse', 'backlog_full', 'forbidden', 'unsupported', 'malformed']),
    message: z.string(),
    tool_call_id: id.optional(),
  }),
};

type Shapes<Table extends Record<string, z.ZodType>> = { [Name in keyof Table]: z.infer<Table[Name]> };
export type ControlFrames = Shapes<typeof CONTROL>;
export type DataFrames = Shapes<typeof DATA>;
export type ControlFrame = ControlFrames[keyof ControlFrames];
export type DataFrame = DataFrames[keyof DataFrames];
/** A frame of a newer version. It is counted, and otherwise ignored unless it says that it must not be. */
export interface UnknownFrame {
  readonly type: 'unknown';
  readonly must: boolean;
}

/** A call from a brain that knows nothing but calls and results. */
export const BaseCall = z.object({
  type: z.literal('tool_call'),
  tool: z.string().min(1).max(160),
  id: z.union([z.string().max(160), z.number()]),
  arguments: z.unknown().optional(),
  args: z.unknown().optional(),
});
export type BaseCall = z.infer<typeof BaseCall>;

const Envelope = z.object({ type: z.string().max(64), seq: z.int().min(1).optional(), ack: count.optional(), must: z.boolean().optional() });

/** A text as it was read. */
export type ParsedText =
  | { readonly kind: 'control'; readonly frame: ControlFrame }
  | { readonly kind: 'data'; readonly seq: number; readonly ack: number; readonly frame: DataFrame | UnknownFrame }
  | { readonly kind: 'base'; readonly call: BaseCall }
  | { readonly kind: 'malformed'; readonly reason: string };

const malformed = (reason: string): ParsedText => ({ kind: 'malformed', reason });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON: no schema takes undefined, so it is refused as malformed.
    return undefined;
  }
}

const has = <Table extends object>(table: Table, name: string): name is keyof Table & string => Object.hasOwn(table, name);

/** Reads a text from the wire. Never throws. */
export function parseText(text: string): ParsedText {
  // Bare words, so that a platform can answer them without waking the program.
  if (text === 'ping' || text === 'pong') return { kind: 'control', frame: { type: text } };
  const value = parseJson(text);
  const envelope = Envelope.safeParse(value);
  if (!envelope.success) return malformed('not a JSON object with a type');
  const { type, seq, ack = 0, must = false } = envelope.data;
  if (has(CONTROL, type)) {
    const read = CONTROL[type].safeParse(value);
    return read.success ? { kind: 'control', frame: read.data } : malformed(`not a valid ${type}`);
  }
  if (seq === undefined) {
    const base = BaseCall.safeParse(value);
    return base.success ? { kind: 'base', call: base.data } : malformed(`${type} without a sequence number`);
  }
  if (!has(DATA, type)) return { kind: 'data', seq, ack, frame: { type: 'unknown', must } };
  const read = DATA[type].safeParse(value);
  return read.success ? { kind: 'data', seq, ack, frame: read.data } : malformed(`not a valid ${type}`);
}

/** Writes a frame about the connection. */
export function controlText(frame: ControlFrame): string {
  return frame.type === 'ping' || frame.type === 'pong' ? frame.type : JSON.stringify(frame);
}
