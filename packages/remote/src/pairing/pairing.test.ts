import {
  answerJoin,
  beginPairing,
  createDevice,
  createPairingCode,
  isAnswerTo,
  joinMessage,
  openDevice,
  PAIRING_TRIES,
  parsePairingMessage,
  stretchCode,
  toBase64Url,
  type PairedDevice,
  type PairingMessage,
} from '@synapse/protocol/remote';
import { on } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HostileRelay } from '../fixtures/hostile-relay.ts';
import { relayAdmin } from '../relay/relay-admin.ts';
import { RelayRecords } from '../relay/relay-records.ts';
import { serveRelay } from '../relay/serve-relay.ts';
import { enrollmentUrl, pairingUrl } from '../session-url.ts';
import { joinPairing } from './join-pairing.ts';
import { offerPairing } from './offer-pairing.ts';

const { signal } = new AbortController();

/** A relay that demands pairing, and a machine that may be enrolled there. */
async function place() {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-pairing-'));
  const records = new RelayRecords(folder);
  const relay = await serveRelay({ port: 0, paired: { folder } });
  const machine = await openDevice(await createDevice());
  const guest: PairedDevice = { identity: (await createDevice()).identity, name: 'laptop' };
  return { folder, records, relay, machine, guest, [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() };
}

/** Starts to wait for a device; gives the code once the machine waits. */
async function offer({ relay, machine }: Awaited<ReturnType<typeof place>>) {
  const shown = Promise.withResolvers<string>();
  const wrong: number[] = [];
  const paired = offerPairing({
    url: pairingUrl(relay.url, 'desk'),
    device: machine,
    name: 'desk',
    onCode: shown.resolve,
    onWrongCode: (left) => wrong.push(left),
    keep: () => Promise.resolve(),
    signal,
  });
  paired.catch(shown.reject);
  return { paired, code: await shown.promise, wrong };
}

/** Another code than this one. */
const wrongCode = (code: string): string => (code.startsWith('A') ? `B${code.slice(1)}` : `A${code.slice(1)}`);

/** The answer to a code of a relay that is none any more. */
const SPENT = {
  code: 'not_found',
  message: 'The relay has no invitation for this code: it works once, for ten minutes.',
  hint: 'Get a new one at the relay: synapse relay invite',
};

it('two devices learn the keys of each other by a code, and the code works once', async () => {
  await using here = await place();
  here.records.enroll({ identity: here.machine.identity, name: 'desk', at: 0 });
  const { paired, code } = await offer(here);
  // As people type it.
  const typed = code.toLowerCase().replace('-', ' ').replaceAll('0', 'o');
  expect(await joinPairing(pairingUrl(here.relay.url, 'desk'), here.guest, typed, signal)).toEqual({ identity: here.machine.identity, name: 'desk' });
  expect(await paired).toEqual(here.guest);
  await expect(joinPairing(pairingUrl(here.relay.url, 'desk'), here.guest, code, signal)).rejects.toMatchObject({
    code: 'not_found',
    message: 'No machine waits for this code: it works once, for ten minutes.',
    hint: expect.stringContaining('Run synapse pair there again') as string,
  });
});

it('a wrong code has few tries, each answered by one sentence, and then the right one is of no use', { timeout: 60_000 }, async () => {
  await using here = await place();
  here.records.enroll({ identity: here.machine.identity, name: 'desk', at: 0 });
  const { paired, code, wrong } = await offer(here);
  const failed = paired.catch((error: unknown) => error);
  const url = pairingUrl(here.relay.url, 'desk');
  for (let left = PAIRING_TRIES - 1; left >= 0; left -= 1) {
    const hint = left === 0 ? /No tries are left/u : new RegExp(`^${left} more tr`, 'u');
    await expect(joinPairing(url, here.guest, wrongCode(code), signal)).rejects.toMatchObject({
      message: 'Wrong code.',
      hint: expect.stringMatching(hint) as string,
    });
  }
  expect(await failed).toMatchObject({ code: 'denied', message: 'Too many wrong codes.' });
  expect(wrong).toEqual([4, 3, 2, 1, 0]);
  await expect(joinPairing(url, here.guest, code, signal)).rejects.toMatchObject({ code: 'not_found' });
});

it('a machine gets into a relay with the code of an invitation, once', async () => {
  await using here = await place();
  await expect(offer(here)).rejects.toMatchObject({ details: { reason: 'not_enrolled' } });
  const url = enrollmentUrl(here.relay.url);
  const machine: PairedDevice = { identity: here.machine.identity, name: 'desk' };
  await expect(joinPairing(url, machine, 'AAAA-AAAA', signal)).rejects.toMatchObject({ code: 'not_found' });
  const code = await relayAdmin({ folder: here.folder }).invite();
  await expect(joinPairing(url, machine, wrongCode(code), signal)).rejects.toMatchObject({ code: 'denied', hint: '4 more tries.' });
  expect((await joinPairing(url, machine, code, signal)).name).toBe('relay');
  expect(here.records.machines()).toMatchObject([{ name: 'desk', identity: here.machine.identity }]);
  await expect(joinPairing(url, here.guest, code, signal)).rejects.toMatchObject(SPENT);
  expect((await offer(here)).code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/u);
});

it('an invitation that has expired is none', async () => {
  await using here = await place();
  const code = await relayAdmin({ folder: here.folder }).invite();
  const invitation = here.records.invitation();
  here.records.setInvitation(invitation && { ...invitation, expires: Date.now() - 1 });
  await expect(joinPairing(enrollmentUrl(here.relay.url), here.guest, code, signal)).rejects.toMatchObject(SPENT);
  expect(here.records.machines()).toEqual([]);
});

type PairingJoin = Extract<PairingMessage, { type: 'pair_join' }>;

/** A relay that plays the machine toward a guest. Gives what the guest sent for the code. */
async function posingRelay(salt: PairingMessage, answer: (join: PairingJoin) => Promise<readonly PairingMessage[]>) {
  const relay = await HostileRelay.open();
  const joined = (async (): Promise<PairingJoin> => {
    const socket = await relay.arrival();
    for await (const [data] of on(socket, 'message') as AsyncIterable<[Buffer]>) {
      const message = parsePairingMessage(data.toString());
      if (message?.type === 'pair_hello') socket.send(JSON.stringify(salt));
      if (message?.type !== 'pair_join') continue;
      for (const one of await answer(message)) socket.send(JSON.stringify(one));
      return message;
    }
    throw new Error('No code came.');
  })();
  joined.catch(() => {});
  return { url: pairingUrl(relay.url, 'desk'), joined, [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() };
}

it('a relay that plays the machine can test the one code that it guessed, and no other one afterwards', { timeout: 60_000 }, async () => {
  const [code, guess] = ['K7QF-3MWX', 'K7QF-3MWY'];
  const desk: PairedDevice = { identity: (await createDevice()).identity, name: 'desk' };
  const guest: PairedDevice = { identity: (await createDevice()).identity, name: 'laptop' };
  const play = async (guessed: string) => {
    const stretched = await stretchCode(guessed, 'of-the-relay');
    const exchange = await beginPairing('machine', stretched);
    const posing = await posingRelay({ type: 'pair_salt', salt: stretched.salt, share: exchange.share }, async (join) => {
      const secret = await exchange.agree(join.share);
      const answer = secret && (await answerJoin(secret, desk, join));
      return [answer ?? { type: 'pair_refused', left: 4 }];
    });
    return { exchange, ...posing };
  };
  await using wrong = await play(guess);
  await expect(joinPairing(wrong.url, guest, code, signal)).rejects.toMatchObject({ code: 'denied' });
  const join = await wrong.joined;
  // What it has now, with the code itself: neither the share that it made with its guess, nor that of the guest, leads to the key of the proof.
  const known = await stretchCode(code, 'of-the-relay');
  const later = await beginPairing('machine', known);
  for (const secret of [known, await wrong.exchange.agree(join.share), await later.agree(join.share)])
    expect(secret && (await answerJoin(secret, desk, join))).toBeUndefined();
  // The control: it guessed right.
  await using right = await play(code);
  expect(await joinPairing(right.url, guest, code, signal)).toEqual(desk);
});

it.each([
  ['no share, as of an earlier version', undefined],
  ['a share that makes the key known', toBase64Url(new Uint8Array(32))],
  ['a share of another length', toBase64Url(new Uint8Array(31).fill(9))],
  ['a share that is no base64url', '*'],
])('a guest sends nothing for %s', async (_, share) => {
  await using posing = await posingRelay({ type: 'pair_salt', salt: 'salt', ...(share === undefined ? {} : { share }) }, () => Promise.resolve([]));
  const guest: PairedDevice = { identity: (await createDevice()).identity, name: 'laptop' };
  await expect(joinPairing(posing.url, guest, createPairingCode(), signal)).rejects.toMatchObject({
    code: 'unavailable',
    hint: 'Update Synapse on both devices, and at the relay.',
  });
  await expect(Promise.race([posing.joined, posing[Symbol.asyncDispose]()])).resolves.toBeUndefined();
});

it('a guest takes the first salt that comes, also if that was meant for a device that left', async () => {
  const stretched = await stretchCode('K7QF-3MWX');
  const exchange = await beginPairing('machine', stretched);
  const salt = { type: 'pair_salt', salt: stretched.salt, share: exchange.share } as const;
  const desk: PairedDevice = { identity: (await createDevice()).identity, name: 'desk' };
  const guest: PairedDevice = { identity: (await createDevice()).identity, name: 'laptop' };
  await using posing = await posingRelay(salt, async (join) => {
    const secret = await exchange.agree(join.share);
    const answer = secret && (await answerJoin(secret, desk, join));
    return answer === undefined ? [] : [salt, answer];
  });
  expect(await joinPairing(posing.url, guest, 'K7QF-3MWX', signal)).toEqual(desk);
});

it('a guest gives up on a relay that does not pass on the answer', async () => {
  const { salt, key } = await stretchCode('AAAA-AAAA');
  const { share } = await beginPairing('machine', { salt, key });
  await using posing = await posingRelay({ type: 'pair_salt', salt, share }, () => Promise.resolve([]));
  const guest: PairedDevice = { identity: (await createDevice()).identity, name: 'laptop' };
  await expect(joinPairing(posing.url, guest, createPairingCode(), signal, 1)).rejects.toMatchObject({
    code: 'timeout',
    hint: expect.stringContaining('a new code') as string,
  });
});

it('a relay that forwards, and puts a key or a share of its own in place of either, pairs no device', { timeout: 60_000 }, async () => {
  const [machine, guest, other] = await Promise.all([createDevice(), createDevice(), createDevice()]);
  const stretched = await stretchCode('AAAA-AAAA');
  const desk = { identity: machine.identity, name: 'desk' };
  const attempt = async (shares: { readonly toGuest?: string; readonly toMachine?: string } = {}) => {
    const [here, there] = await Promise.all([beginPairing('machine', stretched), beginPairing('guest', stretched)]);
    const [ours, theirs] = [await here.agree(shares.toMachine ?? there.share), await there.agree(shares.toGuest ?? here.share)];
    if (ours === undefined || theirs === undefined) throw new Error('No key.');
    const join = await joinMessage(theirs, { identity: guest.identity, name: 'laptop' }, there.share);
    return { ours, theirs, join, done: await answerJoin(ours, desk, join) };
  };
  const { ours, theirs, join, done } = await attempt();
  const isTaken = async (from: string, by: string): Promise<boolean> =>
    done !== undefined && (await isAnswerTo(theirs, { identity: from, name: 'laptop' }, { ...done, identity: by }));
  expect(await answerJoin(ours, desk, { ...join, identity: other.identity })).toBeUndefined();
  expect(await isTaken(guest.identity, other.identity)).toBe(false);
  expect(await isTaken(other.identity, machine.identity)).toBe(false);
  // Its shares, of another code.
  const { share } = await beginPairing('machine', await stretchCode('BBBB-BBBB', stretched.salt));
  expect([(await attempt({ toGuest: share })).done, (await attempt({ toMachine: share })).done]).toEqual([undefined, undefined]);
  // The proof of an attempt is of no use in another one.
  expect(await answerJoin((await attempt()).ours, desk, join)).toBeUndefined();
  // The control.
  expect(await isTaken(guest.identity, machine.identity)).toBe(true);
});

it('what is no code is refused before anything is sent', async () => {
  await expect(joinPairing('ws://127.0.0.1:1/v1/pair/desk', { identity: '', name: '' }, 'nope', signal)).rejects.toMatchObject({
    code: 'invalid_arguments',
  });
});
