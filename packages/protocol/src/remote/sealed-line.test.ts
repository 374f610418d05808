import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { createDevice, openDevice } from './device.ts';
import type { DataFrame } from './frames.ts';
import { sealKey, webKey } from './seal-key.ts';
import { SealedLine } from './sealed-line.ts';

const nonce = new Uint8Array(12).fill(7);
const bytes = new Uint8Array(32).fill(3).buffer;

it('seals on Node as in a browser: each opens what the other sealed, and nothing that was changed', async () => {
  const [web, node] = [await webKey(bytes), await sealKey(bytes)];
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 500 }), fc.string(), fc.nat(), async (text, context, place) => {
      const sealed = [await web.seal(nonce, context, text), await node.seal(nonce, context, text)].map((one) => Uint8Array.from(one));
      const [first, second] = sealed;
      expect(first).toEqual(second);
      for (const key of [web, node]) {
        // A lone half of a pair is no character, and becomes a mark on both.
        expect(await key.open(nonce, context, Uint8Array.from(first ?? []))).toBe(new TextDecoder().decode(new TextEncoder().encode(text)));
        const changed = Uint8Array.from(first ?? []);
        changed[place % changed.length]! ^= 1;
        const attempts = [
          [context, changed],
          [`${context}x`, first],
          [context, Uint8Array.from((first ?? []).slice(1))],
          [context, new Uint8Array()],
        ] as const;
        for (const [given, from] of attempts)
          await expect((async () => await key.open(nonce, given, Uint8Array.from(from ?? [])))()).rejects.toThrow();
      }
    }),
    { numRuns: 30 },
  );
});

it('encodes bytes in text of the web, and refuses what is none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (given) => {
      const text = toBase64Url(given);
      expect(text).toBe(Buffer.from(given).toString('base64url'));
      expect(fromBase64Url(text)).toEqual(Uint8Array.from(given));
    }),
  );
  for (const text of ['a', 'ab*d', 'abcde']) expect(() => fromBase64Url(text)).toThrow();
});

it('opens what a paired device sealed for this one, and no frame of others, for others, or changed on its way', async () => {
  const [mine, yours, other] = await Promise.all([createDevice(), createDevice(), createDevice()]);
  const [me, you, stranger] = await Promise.all([mine, yours, other].map(openDevice));
  if (me === undefined || you === undefined || stranger === undefined) throw new Error('no devices');
  const knows = (devices: readonly { readonly id: string; readonly identity: string }[]) => (id: string) =>
    devices.find((device) => device.id === id)?.identity;
  const line = new SealedLine(me, 'm1', knows([you]));
  const far = new SealedLine(you, 'y1', knows([me]));
  const frame: DataFrame = { type: 'tool_call', id: 'c', tool: 't', args: { secret: 1 }, hash: '1'.repeat(64), ledger: 'l', at: 1 };
  // The first frame waits for its keys; those after it need not.
  for (const tool of ['first', 'second']) {
    const sealed = await line.seal({ ...frame, tool }, you.id);
    expect(JSON.stringify(sealed)).not.toContain('secret');
    if (sealed?.type !== 'tool_call') throw new Error('not sealed');
    expect(await far.open(sealed)).toEqual({ frame: { ...frame, tool }, from: me.id });
    expect(await far.open({ ...sealed, tool: 'other' })).toBeUndefined();
    expect(await far.open({ ...frame, auth: sealed.auth })).toBeUndefined();
    expect(await new SealedLine(stranger, 's1', knows([me])).open(sealed)).toBeUndefined();
    expect(await new SealedLine(you, 'y1', knows([])).open(sealed)).toBeUndefined();
    expect(await far.open({ ...sealed, auth: { ...sealed.auth!, box: '*' } })).toBeUndefined();
  }
  expect(await line.seal(frame, stranger.id)).toBeUndefined();
});

it('a sealed text is a part of the JSON, or after it for a device that can read that: both are opened, and changes are noticed', async () => {
  const [me, you] = await Promise.all([1, 2].map(async () => await openDevice(await createDevice())));
  if (me === undefined || you === undefined) throw new Error('no devices');
  const line = new SealedLine(me, 'm1', () => you.identity);
  const far = new SealedLine(you, 'y1', () => me.identity);
  const text = '\t"quoted"\n'.repeat(1_000);
  const frames: DataFrame[] = [
    { type: 'tool_result', tool_call_id: 'c', status: 'success', bytes: text.length, sha256: '1'.repeat(64), body: text },
    { type: 'tool_result', tool_call_id: 'c', status: 'success', bytes: 7, sha256: '1'.repeat(64) },
    { type: 'chunk', brain: 'b', of: 'result', name: 'c', from: 0, data: text, next: 1, total: 2 },
    { type: 'cancel', tool_call_id: 'c', ledger: 'l' },
  ];
  for (const frame of frames) {
    const lengths: number[] = [];
    for (const appends of [false, true]) {
      const sealed = await line.seal(frame, you.id, appends);
      if (sealed === undefined || !('auth' in sealed) || sealed.auth === undefined) throw new Error('not sealed');
      expect(JSON.stringify(sealed)).not.toContain('quoted');
      expect(await far.open(sealed)).toEqual({ frame, from: me.id });
      const { box } = sealed.auth;
      expect(await far.open({ ...sealed, auth: { ...sealed.auth, box: `${box.slice(0, -8)}AAAAAAAA` } })).toBeUndefined();
      lengths.push(box.length);
    }
    expect((lengths[1] ?? 0) < (lengths[0] ?? 0)).toBe(frame === frames[0] || frame === frames[2]);
  }
});
