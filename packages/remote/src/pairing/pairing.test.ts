import { createDevice, openDevice, PAIRING_TRIES, type PairedDevice } from '@synapse/protocol/remote';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it('what is no code is refused before anything is sent', async () => {
  await expect(joinPairing('ws://127.0.0.1:1/v1/pair/desk', { identity: '', name: '' }, 'nope', signal)).rejects.toMatchObject({
    code: 'invalid_arguments',
  });
});
