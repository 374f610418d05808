import fc from 'fast-check';
import { callHash, CLOSE_CODES, createDevice, openDevice, PAIRING_MS, withSum } from '@synapse/protocol/remote';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectHands } from '../brain/connect-hands.ts';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { nonceOf, rawBrain } from '../fixtures/raw-party.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { joinPairing } from '../pairing/join-pairing.ts';
import { offerPairing } from '../pairing/offer-pairing.ts';
import { pairingUrl, sessionUrl } from '../session-url.ts';
import { RelayRecords } from './relay-records.ts';
import { serveRelay } from './serve-relay.ts';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** A relay with a machine, and what can be asked of it. */
async function place() {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(await remoteBench());
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const relay = stack.use(await serveRelay({ port: 0 }));
  relay.stopped.catch(failed.reject);
  const url = sessionUrl(relay.url, 'desk');
  const connected = stack.use(new ConnectedHands(bench.hands, { url, name: 'desk', stateFolder: bench.state, jitter: () => 0.01 }));
  connected.stopped.catch(failed.reject);
  const brain = stack.use(connectHands(relay.url, { session: 'desk', jitter: () => 0.01 }));
  const opened = stack.move();
  let asked = 0;
  return {
    bench,
    url,
    relay,
    brain,
    /** That others are served as ever. */
    works: async (): Promise<boolean> => {
      asked += 1;
      const { ok } = await Promise.race([brain.call('count', { text: `works-${asked}` }), failed.promise]);
      return ok;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const HASH = callHash({ tool: 'count', args: { text: 'x' } });
const CALL = { type: 'tool_call', id: 'forged', tool: 'count', args: { text: 'x' }, hash: HASH, ledger: 'other', at: 1 };

it.each<[string, Record<string, unknown>, number]>([
  ['arguments that are nested too deep', { args: 'DEEP' }, CLOSE_CODES.malformed.code],
  ['an id that is too long', { id: 'x'.repeat(161) }, CLOSE_CODES.malformed.code],
  ['a hash that is none', { hash: 'x' }, CLOSE_CODES.malformed.code],
  ['a gap in the numbers', { seq: 9 }, CLOSE_CODES.gap.code],
  ['a number that is none', { seq: 0.5 }, CLOSE_CODES.malformed.code],
])('%s: the line is closed with its code, and others are served', { timeout: 30_000 }, async (_, change, code) => {
  await using there = await place();
  expect(await there.works()).toBe(true);
  await using attacker = await rawBrain(there.url);
  const { seq = 1, ...rest } = { ...CALL, ...change } as { seq?: number };
  attacker.say(JSON.stringify({ ...rest, seq, ack: 0 }).replace('"DEEP"', deep(50_000)));
  expect(await attacker.closed).toBe(code);
  expect(await there.works()).toBe(true);
});

it('a call whose hash does not fit, or that is for another ledger, does not run', async () => {
  await using there = await place();
  expect(await there.works()).toBe(true);
  await using attacker = await rawBrain(there.url);
  attacker.send({ ...CALL, args: { text: 'changed' } });
  expect(await attacker.frame('error')).toMatchObject({ code: 'malformed', tool_call_id: 'forged' });
  attacker.send({ ...CALL, id: 'elsewhere' });
  expect(await attacker.frame('tool_result')).toMatchObject({ tool_call_id: 'elsewhere', status: 'interrupted' });
  expect([...counted(there.bench.counter).keys()]).toEqual(['works-1']);
});

const frame = fc.record({
  type: fc.constantFrom(
    'tool_call',
    'tool_result',
    'received',
    'cancel',
    'read',
    'chunk',
    'sync',
    'state',
    'approval_decision',
    'peer',
    'error',
    'grants',
    'ack',
    'hello',
    'x',
  ),
  seq: fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined }),
  ack: fc.option(fc.oneof(fc.integer(), fc.constant('x')), { nil: undefined }),
  must: fc.option(fc.boolean(), { nil: undefined }),
  id: fc.option(fc.string({ maxLength: 10 }), { nil: undefined }),
  tool_call_id: fc.option(fc.string({ maxLength: 10 }), { nil: undefined }),
  brain: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
  args: fc.jsonValue({ maxDepth: 4 }),
  credit: fc.option(fc.record({ frames: fc.integer(), bytes: fc.integer() }), { nil: undefined }),
  calls: fc.option(fc.array(fc.string({ maxLength: 5 }), { maxLength: 5 }), { nil: undefined }),
});
const said = fc.oneof(
  fc.string({ maxLength: 50 }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  frame.map((value) => JSON.stringify(value)),
);
const CODES = new Set<number>(Object.values(CLOSE_CODES).map(({ code }) => code));

it('who comes and goes often locks nobody out', async () => {
  await using there = await place();
  for (let count = 0; count < 40; count += 1) {
    await using _one = await rawBrain(there.url);
  }
  expect(await there.works()).toBe(true);
});

it('whatever is said, the line stays or is closed with a code of the table, and others are served', { timeout: 60_000 }, async () => {
  await using there = await place();
  await fc.assert(
    fc.asyncProperty(fc.array(said, { maxLength: 12 }), fc.boolean(), async (texts, greets) => {
      const attacker = greets ? await rawBrain(there.url) : undefined;
      const socket = attacker?.socket ?? new WebSocket(there.url);
      const nonce = attacker === undefined ? nonceOf(String((await once(socket, 'message'))[0])) : '';
      const closed = new Promise<number>((resolve) => socket.once('close', resolve));
      for (const text of texts)
        if (attacker === undefined) socket.send(withSum(nonce, text));
        else attacker.say(text);
      const pong = new Promise<'alive'>((resolve) => socket.once('pong', () => resolve('alive')));
      socket.ping();
      const end = await Promise.race([closed, pong]);
      if (end !== 'alive') expect(CODES).toContain(end);
      socket.terminate();
    }),
    { numRuns: 100 },
  );
  expect(await there.works()).toBe(true);
});

it.each(['pair/desk', 'enroll'])('ends what connects to %s and says nothing, or never finishes', async (path) => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-relay-'));
  const serve = (isOver: (milliseconds: number) => boolean) =>
    serveRelay({ port: 0, paired: { folder }, pace: { now: Date.now, wait: (milliseconds) => (isOver(milliseconds) ? 1 : milliseconds) } });
  {
    await using relay = await serve((milliseconds) => milliseconds === 10_000);
    await once(new WebSocket(`${relay.url}/v1/${path}`), 'close');
  }
  {
    await using relay = await serve((milliseconds) => milliseconds === PAIRING_MS + 10_000);
    await once(new WebSocket(`${relay.url}/v1/${path}`), 'close');
  }
  // The control: the limits of others do not end it, so the first message of a relay arrives.
  await using relay = await serve(() => false);
  const socket = new WebSocket(`${relay.url}/v1/${path}`);
  await once(socket, 'open');
  socket.ping();
  await once(socket, 'pong');
  expect(socket.readyState).toBe(WebSocket.OPEN);
  rmSync(folder, { recursive: true });
});

it('a device that waits with a code and does not use it leaves its place to another one', { timeout: 30_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-relay-'));
  const machine = await openDevice(await createDevice());
  new RelayRecords(folder).enroll({ identity: machine.identity, name: 'desk', at: Date.now() });
  // Time passes for the first device only.
  let left = 1;
  const pace = { now: Date.now, wait: (milliseconds: number) => (milliseconds === 30_000 && left-- > 0 ? 1 : milliseconds) };
  const stop = new AbortController();
  {
    await using relay = await serveRelay({ port: 0, paired: { folder }, pace });
    const url = pairingUrl(relay.url, 'desk');
    const shown = Promise.withResolvers<string>();
    const offered = offerPairing({
      url,
      device: machine,
      name: 'desk',
      onCode: shown.resolve,
      onWrongCode: () => {},
      keep: () => Promise.resolve(),
      signal: stop.signal,
    });
    const code = await shown.promise;
    const mute = new WebSocket(url);
    await once(mute, 'open');
    mute.send(JSON.stringify({ type: 'pair_hello', side: 'guest' }));
    await once(mute, 'close');
    const guest = { identity: (await createDevice()).identity, name: 'phone' };
    await joinPairing(url, guest, code, stop.signal);
    expect(await offered).toMatchObject({ identity: guest.identity });
  }
  rmSync(folder, { recursive: true });
});
