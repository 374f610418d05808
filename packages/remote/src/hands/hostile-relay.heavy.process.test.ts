import fc from 'fast-check';
import {
  callHash,
  CLOSE_CODES,
  createDevice,
  deviceId,
  openDevice,
  PROTOCOL_VERSION,
  type HandsEffect,
  type RemoteGrant,
} from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { connectHands } from '../brain/connect-hands.ts';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { attack, HostileRelay } from '../fixtures/hostile-relay.ts';
import { MeasuredProcess } from '../fixtures/measured-process.ts';
import { serveRelay } from '../relay/serve-relay.ts';
import { REAL_PACE } from '../pace.ts';
import { sessionUrl } from '../session-url.ts';
import { ConnectedHands } from './connected-hands.ts';
import type { ConnectOptions } from './connect-options.ts';

const MB = 1_048_576;
/** Those of the table, and that of a parser that reads no more than 1 MiB. */
const CODES = new Set<number | 'open'>([...Object.values(CLOSE_CODES).map(({ code }) => code), 1009, 'open']);
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** A machine at a relay that means it no good. */
async function place(options: Partial<ConnectOptions> = {}) {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(await remoteBench());
  const relay = stack.use(await HostileRelay.open());
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const base = { name: 'desk', stateFolder: bench.state, jitter: () => 0.001 };
  const serve = (url: string): ConnectedHands => {
    const hands = new ConnectedHands(bench.hands, { ...base, ...options, url: sessionUrl(url, 'desk') });
    hands.stopped.catch(failed.reject);
    return hands;
  };
  const connected = serve(relay.url);
  stack.defer(() => connected[Symbol.asyncDispose]());
  const opened = stack.move();
  return {
    relay,
    /** The next connection; fails where the machine has given up. */
    victim: () => Promise.race([relay.victim(), failed.promise]),
    counts: () => Object.fromEntries(counted(bench.counter)),
    /** That the same ledger serves an honest relay as ever. */
    works: async (text: string): Promise<boolean> => {
      await connected[Symbol.asyncDispose]();
      await using honest = await serveRelay({ port: 0 });
      await using again = serve(honest.url);
      expect(again).toBeDefined();
      await using brain = connectHands(honest.url, { session: 'desk', jitter: () => 0.01 });
      return (await brain.call('count', { text })).ok;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const callOf = (id: string, text: string, ledger: string, changes: Record<string, unknown> = {}) => ({
  type: 'tool_call',
  id,
  tool: 'count',
  args: { text },
  hash: callHash({ tool: 'count', args: { text } }),
  ledger,
  at: Date.now(),
  ...changes,
});
const line = (seq: number, frame: object): string => JSON.stringify({ seq, ack: 0, ...frame });

it.each<[string, (ledger: string) => readonly string[], number | 'open']>([
  ['not JSON', () => ['x'], 4400],
  ['nothing that has a type', () => ['[]'], 4400],
  ['nesting without end', (ledger) => [line(1, callOf('a', 'deep', ledger)).replace('{"text":"deep"}', deep(50_000))], 4400],
  ['a frame beyond the limit', () => [`"${'x'.repeat(300_000)}"`], 4413],
  ['a message that no parser takes', () => ['x'.repeat(2 * MB)], 1009],
  ['a frame after one that is missing', (ledger) => [line(7, callOf('a', 'gap', ledger))], 4409],
  ['a number that is none', (ledger) => [line(0.5, callOf('a', 'half', ledger))], 4400],
  ['a second challenge', () => [JSON.stringify({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' })], 4400],
  [
    'a hello, which only parties say',
    () => [JSON.stringify({ type: 'hello', v: PROTOCOL_VERSION, role: 'brain', inst: 'i', epoch: 0, credit: { frames: 1, bytes: 1 } })],
    4400,
  ],
  ['a call without a number', () => [JSON.stringify({ type: 'tool_call', tool: 'count', id: '1', arguments: { text: 'base' } })], 4400],
  ['frames that only machines say', (ledger) => [line(1, { type: 'tool_accepted', tool_call_id: ledger })], 'open'],
  ['a call for another ledger', () => [line(1, callOf('a', 'other ledger', 'other'))], 'open'],
  ['a call whose hash does not fit', (ledger) => [line(1, callOf('a', 'hash', ledger, { args: { text: 'forged' } }))], 'open'],
])('%s: the machine closes with its code or answers, runs nothing, and comes back', { timeout: 30_000 }, async (_, texts, code) => {
  await using there = await place();
  const victim = await there.victim();
  expect(await victim.attack(texts(victim.hello.ledger ?? ''))).toBe(code);
  expect(there.counts()).toEqual({});
  expect(await there.works('honest')).toBe(true);
});

it('a call that is said again, under the same and under new numbers and on new lines, runs once', { timeout: 30_000 }, async () => {
  await using there = await place();
  for (let round = 0; round < 3; round += 1) {
    const victim = await there.victim();
    const call = callOf('again', 'again', victim.hello.ledger ?? '');
    expect(await victim.attack([line(1, call), line(1, call), line(2, call), line(3, call)])).toBe('open');
    await expect.poll(() => victim.said.filter((text) => text.includes('"tool_result"')).length).toBeGreaterThan(0);
    victim.socket.terminate();
  }
  expect(there.counts()).toEqual({ again: 1 });
});

it('a result does not wait for the calls behind it to start', { timeout: 30_000 }, async () => {
  const steps: string[] = [];
  const beforeEffect = (effect: HandsEffect): void => {
    if (effect.type === 'run') steps.push('run');
    else if (effect.type === 'send' && effect.text.includes('"tool_result"')) steps.push('result');
  };
  // On a busy machine it would say of each call that it was accepted, and the results would wait for the credit that this takes.
  const pace = { ...REAL_PACE, wait: (milliseconds: number) => 100 * milliseconds };
  await using there = await place({ beforeEffect, pace });
  const victim = await there.victim();
  const ledger = victim.hello.ledger ?? '';
  const credit = { frames: 1_000, bytes: 1_000_000_000 };
  let heard = 0;
  victim.socket.on('message', (text: Buffer) => {
    if (text.toString().includes('"seq"')) victim.say(JSON.stringify({ type: 'ack', ack: (heard += 1), credit }));
  });
  const calls = Array.from({ length: 200 }, (_, index) => line(index + 1, callOf(`call-${index}`, 'x', ledger)));
  expect(await victim.attack(calls)).toBe('open');
  await expect.poll(() => steps.filter((step) => step === 'result').length).toBe(200);
  // 16 calls run at once. Of those that started, at most so many and those of two turns have not answered. Later results wait for credit.
  let open = 0;
  const opens = steps.map((step) => (open += step === 'run' ? 1 : -1));
  const results = steps.flatMap((step, index) => (step === 'result' ? [index] : []));
  expect(Math.max(...opens.slice(0, results[31]))).toBeLessThanOrEqual(48);
});

it('what no paired device has sealed is not run, whatever the relay claims', { timeout: 30_000 }, async () => {
  const [machine, brain] = [await openDevice(await createDevice()), await createDevice()];
  const grant: RemoteGrant = {
    identity: brain.identity,
    name: 'b',
    role: 'brain',
    tools: ['*'],
    approves: ['*'],
    maxRunning: 4,
    expires: Date.now() + 60_000,
  };
  const id = deviceId(brain.identity);
  await using there = await place({ pairing: { device: machine, grants: () => new Map([[id, grant]]), version: () => '1' } });
  const victim = await there.victim();
  const ledger = victim.hello.ledger ?? '';
  const auth = { key: id, to: deviceId(machine.identity), inst: 'i', n: 1, box: 'A'.repeat(200) };
  const forged = [
    callOf('a', 'open', ledger),
    callOf('b', 'boxed', ledger, { auth }),
    callOf('c', 'stranger', ledger, { auth: { ...auth, key: 'x' } }),
  ];
  expect(await victim.attack(forged.map((frame, index) => line(index + 1, frame)))).toBe('open');
  expect(await victim.attack([JSON.stringify({ type: 'tool_call', tool: 'count', id: '1', arguments: { text: 'base' } })])).toBe(4400);
  expect(there.counts()).toEqual({});
});

const text = fc.string({ maxLength: 10 });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const said = (ledger: string) =>
  fc.oneof(
    fc.string({ maxLength: 50 }),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    // Calls that are right but for their numbers.
    fc.tuple(fc.nat(5), fc.constantFrom('a', 'b', 'c')).map(([seq, id]) => line(seq, callOf(id, id, ledger))),
    fc
      .record({
        type: fc.constantFrom(
          'challenge',
          'welcome',
          'ack',
          'ping',
          'pong',
          'grants',
          'tool_call',
          'received',
          'cancel',
          'read',
          'sync',
          'approval_decision',
          'peer',
          'error',
          'x',
        ),
        seq: optional(fc.integer({ min: -1, max: 6 })),
        ack: optional(fc.oneof(fc.integer(), text)),
        must: optional(fc.boolean()),
        id: optional(text),
        tool_call_id: optional(fc.constantFrom('a', 'b', 'zzz')),
        approval_id: optional(text),
        ledger: optional(fc.constantFrom(ledger, 'other')),
        brain: optional(text),
        of: optional(fc.constantFrom('result', 'output', 'tools')),
        name: optional(fc.constantFrom('a', 'zzz', '../../etc/passwd', 'json-schema')),
        from: optional(fc.integer()),
        chunks: optional(fc.integer({ min: 0, max: 20 })),
        calls: optional(fc.array(text, { maxLength: 5 })),
        args: fc.jsonValue({ maxDepth: 4 }),
        credit: optional(fc.record({ frames: fc.integer(), bytes: fc.integer() })),
        epoch: optional(fc.integer()),
        recv: optional(fc.integer()),
        resumed: optional(fc.boolean()),
      })
      .map((value) => JSON.stringify(value)),
  );

it(
  'whatever a relay says, before or after the greeting: a code of the table or none, no call twice, and an honest relay is served',
  { timeout: 120_000 },
  async () => {
    await using there = await place();
    const first = await there.victim();
    const ledger = first.hello.ledger ?? '';
    first.socket.terminate();
    await fc.assert(
      fc.asyncProperty(fc.array(said(ledger), { maxLength: 12 }), fc.boolean(), async (texts, greets) => {
        const victim = greets ? await there.victim() : undefined;
        const socket = victim?.socket ?? (await there.relay.arrival());
        expect(CODES).toContain(await (victim === undefined ? attack(socket, texts) : victim.attack(texts)));
        socket.terminate();
      }),
      { numRuns: 150 },
    );
    for (const times of Object.values(there.counts())) expect(times).toBe(1);
    expect(await there.works('honest')).toBe(true);
  },
);

it('a flood of what is forged, repeated and malformed costs the machine no memory', { timeout: 120_000 }, async () => {
  await using bench = await remoteBench();
  await using relay = await HostileRelay.open();
  await using machine = new MeasuredProcess('hands-process', [
    sessionUrl(relay.url, 'desk'),
    bench.folder,
    bench.state,
    bench.counter,
    '',
    '1',
    '0',
    '0.001',
  ]);
  const flood = async (count: number): Promise<void> => {
    const victim = await relay.victim();
    const ledger = victim.hello.ledger ?? '';
    const frames = [
      callOf('once', 'once', ledger),
      callOf('x', 'x', 'other'),
      { type: 'cancel', tool_call_id: 'zzz', ledger },
      { type: 'read', brain: 'b', of: 'result', name: 'zzz', from: 0, chunks: 16 },
      { type: 'sync', brain: 'b', calls: ['zzz'] },
      { type: 'approval_decision', approval_id: 'a', tool_call_id: 'zzz', args_hash: 'h', option: 'allow_once' },
      { type: 'received', tool_call_id: 'zzz' },
    ];
    const credit = { frames: 100_000_000, bytes: 100_000_000_000 };
    for (let seq = 1; seq <= count; seq += 10) {
      const slice = Array.from({ length: 10 }, (_, index) => line(seq + index, frames[(seq + index) % frames.length] ?? {}));
      // What it says is taken, so that it is only its own books that could grow.
      expect(
        await victim.attack([...slice, JSON.stringify({ type: 'ack', ack: victim.said.filter((one) => one.includes('"seq"')).length, credit })]),
      ).toBe('open');
    }
    expect(await victim.attack(['x'])).toBe(4400);
  };
  await flood(1_000);
  const before = await machine.memory();
  await flood(10_000);
  expect((await machine.memory()).kept - before.kept).toBeLessThan(8 * MB);
  expect(Object.fromEntries(counted(bench.counter))).toEqual({ once: 1 });
});
