import fc from 'fast-check';
import { INLINE_BYTES, MAX_FRAME, type RelayedCall } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import type { StoreEffect } from '../relay/relay-store.ts';
import { decodeEntry, encodeEntries, everything, keep, newKept, replay, type Kept } from './session-entries.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd');
const callOf = (owner: string, body: string | undefined, args = body): RelayedCall => ({
  owner,
  device: undefined,
  frame: { type: 'tool_call', id: 'a', tool: 't', args: { body: args }, hash: '0'.repeat(64), ledger: 'l', at: 1 },
  result: body === undefined ? undefined : { type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 1, sha256: '0'.repeat(64), body },
  cancel: undefined,
  at: 1,
});
const effect: fc.Arbitrary<StoreEffect> = fc.oneof(
  fc.record({ epoch: fc.nat(), owner: fc.option(fc.string(), { nil: undefined }) }).map(({ epoch, owner }): StoreEffect => ({
    type: 'store',
    what: 'session',
    session: { epoch, owner, ledger: undefined, hands: undefined, grants: undefined },
  })),
  fc
    .tuple(id, fc.option(fc.tuple(fc.string(), fc.option(fc.string({ maxLength: 3_000, unit: 'grapheme' }), { nil: undefined })), { nil: undefined }))
    .map(([one, made]): StoreEffect => ({ type: 'store', what: 'call', id: one, call: made && callOf(...made) })),
);

const readBack = (entries: readonly Uint8Array[], into: Kept = newKept()): Kept => {
  for (const entry of entries) replay(into, decodeEntry(entry));
  return into;
};

it('what is written and read back is what was kept, in one message or in many', () => {
  fc.assert(
    fc.property(fc.array(effect, { maxLength: 30 }), fc.constantFrom(500, 5_000, 1_000_000), (stores, limit) => {
      const kept = newKept();
      for (const one of stores) keep(kept, one);
      expect(readBack(encodeEntries({ token: 7, stores }, limit))).toEqual(kept);
    }),
  );
});

it('a copy of everything says the same, whatever stood before it, and half a copy changes nothing', () => {
  fc.assert(
    fc.property(fc.array(effect, { maxLength: 30 }), fc.nat(40), (stores, cut) => {
      const kept = newKept();
      for (const one of stores) keep(kept, one);
      const log = encodeEntries({ token: 1, stores }, 1_000);
      const copy = encodeEntries({ token: 1, keep: [...kept.calls.keys()], stores: everything(kept) }, 1_000);
      const sorted = ({ record, calls }: Kept) => ({ record, calls: new Map([...calls].toSorted(([a], [b]) => a.localeCompare(b))) });
      expect(sorted(readBack(copy))).toEqual(sorted(kept));
      expect(sorted(readBack([...log, ...copy.slice(0, cut)]))).toEqual(sorted(kept));
      // Who reads while the beginning is dropped may have seen some of it.
      expect(sorted(readBack([...log.slice(0, cut), ...copy]))).toEqual(sorted(kept));
    }),
  );
});

it('the longest call and result fit in a message of 1 MB', () => {
  const text = (length: number): string => Array.from({ length }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7_919) % 20_000))).join('');
  const longest = callOf('o', text(INLINE_BYTES / 3), text(MAX_FRAME - 500));
  const [data] = encodeEntries({ token: 1, stores: [{ type: 'store', what: 'call', id: 'a', call: longest }] }, 1_000_000);
  expect(data?.length).toBeLessThan(1_000_000);
  expect(readBack([data ?? new Uint8Array()]).calls.get('a')).toEqual(longest);
});

it.each(['', '{}', '{"token":1,"calls":[["a",{"owner":1}]]}', '\u0001x'])('an entry that cannot be read is not skipped: %j', (text) => {
  expect(() => decodeEntry(Buffer.from(text))).toThrow('cannot be read');
});
