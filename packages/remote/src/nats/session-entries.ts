import { SynapseError } from '@synapse/protocol';
import {
  NEW_SESSION,
  parseDataFrame,
  RemoteGrant,
  type DataFrame,
  type DataFrames,
  type RelayedCall,
  type SessionRecord,
} from '@synapse/protocol/remote';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import type { StoreEffect } from '../relay/relay-store.ts';

/** Minimum size in bytes of an entry to compress. The largest call and result, in any script, then fit in a message of 1 MB. */
const COMPRESS_BYTES = 131_072;
const MAX_INFLATED = 16_777_216;
/** First byte of a compressed entry. JSON starts with a brace instead. */
const COMPRESSED = 1;

/** The state of a session according to its log. */
export interface Kept {
  record: SessionRecord;
  readonly calls: Map<string, RelayedCall>;
}

/** One message of a log. */
export interface Entry {
  /** Token of the ownership under which it was written. Tokens only increase. */
  readonly token: number;
  /** At the start of a full copy: the ids of the existing calls. All others are deleted. */
  readonly keep?: readonly string[] | undefined;
  readonly stores: readonly StoreEffect[];
}

const frame = <Type extends DataFrame['type']>(type: Type) => z.custom<DataFrames[Type]>((value) => parseDataFrame(value)?.type === type);
const optional = z.string().optional();
const Call = z.object({
  owner: z.string(),
  device: optional,
  frame: frame('tool_call').optional(),
  result: frame('tool_result').optional(),
  cancel: frame('cancel').optional(),
  at: z.number(),
});
const Record = z.object({ epoch: z.int(), ledger: optional, hands: optional, owner: optional, grants: z.array(RemoteGrant).optional() });
const Stored = z.object({
  token: z.int(),
  keep: z.array(z.string()).optional(),
  session: Record.optional(),
  /** Null for a deleted call. */
  calls: z.array(z.tuple([z.string(), Call.nullable()])).optional(),
});
type Stored = z.infer<typeof Stored>;

export const newKept = (): Kept => {
  const { calls: _none, ...record } = NEW_SESSION;
  return { record, calls: new Map() };
};

/** Applies a change to the state. */
export function keep(kept: Kept, effect: StoreEffect): void {
  if (effect.what === 'session') kept.record = effect.session;
  else if (effect.call === undefined) kept.calls.delete(effect.id);
  else kept.calls.set(effect.id, effect.call);
}

/** Applies the next entry of a log to the state. */
export function replay(kept: Kept, entry: Entry): void {
  if (entry.keep !== undefined) {
    const there = new Set(entry.keep);
    for (const id of [...kept.calls.keys()].filter((one) => !there.has(one))) kept.calls.delete(id);
  }
  for (const effect of entry.stores) keep(kept, effect);
}

/** Returns the changes that restore the whole state. */
export const everything = ({ record, calls }: Kept): StoreEffect[] => [
  { type: 'store', what: 'session', session: record },
  ...[...calls].map(([id, call]): StoreEffect => ({ type: 'store', what: 'call', id, call })),
];

function pack(stored: Stored): Uint8Array {
  const json = Buffer.from(JSON.stringify(stored));
  return json.length < COMPRESS_BYTES ? json : Buffer.concat([Buffer.of(COMPRESSED), deflateRawSync(json, { level: 1 })]);
}

/** Encodes entries of at most `maxBytes` bytes each, except for a single call that is larger. */
export function encodeEntries({ token, keep: kept, stores }: Entry, maxBytes: number): Uint8Array[] {
  const whole: Stored = { token, ...(kept === undefined ? {} : { keep: [...kept] }) };
  const calls: [string, RelayedCall | null][] = [];
  for (const effect of stores) {
    if (effect.what === 'session') whole.session = { ...effect.session, grants: effect.session.grants && [...effect.session.grants] };
    else calls.push([effect.id, effect.call ?? null]);
  }
  const packed = pack({ ...whole, calls });
  if (packed.length <= maxBytes || stores.length < 2) return [packed];
  const half = Math.ceil(stores.length / 2);
  return [
    ...encodeEntries({ token, keep: kept, stores: stores.slice(0, half) }, maxBytes),
    ...encodeEntries({ token, stores: stores.slice(half) }, maxBytes),
  ];
}

/** Decodes an entry. @throws SynapseError `unavailable` if it is invalid, because permissions must not be guessed */
export function decodeEntry(data: Uint8Array): Entry {
  try {
    const json = data[0] === COMPRESSED ? inflateRawSync(data.subarray(1), { maxOutputLength: MAX_INFLATED }) : data;
    const { token, keep: kept, session, calls = [] } = Stored.parse(JSON.parse(Buffer.from(json).toString('utf8')));
    const { epoch = 0, ledger, hands, owner, grants } = session ?? {};
    return {
      token,
      keep: kept,
      stores: [
        ...(session === undefined ? [] : [{ type: 'store', what: 'session', session: { epoch, ledger, hands, owner, grants } } as const]),
        ...calls.map(([id, call]): StoreEffect => ({ type: 'store', what: 'call', id, call: call === null ? undefined : callOf(call) })),
      ],
    };
  } catch (cause) {
    throw new SynapseError('unavailable', 'The log of a session at NATS cannot be read.', {
      hint: 'A newer relay may have written it: update this one.',
      cause,
    });
  }
}

const callOf = ({ owner, device, frame: call, result, cancel, at }: z.infer<typeof Call>): RelayedCall => ({
  owner,
  device,
  frame: call,
  result,
  cancel,
  at,
});
