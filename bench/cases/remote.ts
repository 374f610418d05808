import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROTOCOL_VERSION, withSum } from '@synapse/protocol/remote';
import { sessionUrl } from '@synapse/remote';
import { WebSocket } from 'ws';
import { MeasuredProcess } from '../../packages/remote/src/fixtures/measured-process.ts';
import { nonceOf, rawBrain } from '../../packages/remote/src/fixtures/raw-party.ts';
import { floodStalledReader } from '../../packages/remote/src/fixtures/stalled-reader.ts';
import { openBare, rate, type Caller } from '../bare-parties.ts';
import { measure, speedup, type Timing } from '../measure.ts';
import { openOurs, type Callers } from '../our-parties.ts';
import { megabytes, time, type Row } from '../result.ts';
import { roundTripRow } from '../round-trip.ts';

const GROUP = 'Hands far away, through a relay that commits each message';
const KB_64 = 32_000;
const MB = 1_048_576;
const SESSIONS = 5_000;
const OPENED_AT_ONCE = 50;

/** @param once makes a call that must not run again, so its start is committed before it runs */
async function roundTrips(ours: Caller, once: Caller, bare: Caller): Promise<Row[]> {
  const contenders = [
    { name: 'synapse', run: () => ours(0) },
    { name: 'once', run: () => once(0) },
    { name: 'bare', run: () => bare(0) },
  ];
  const [synapse, committed, peer] = await measure(contenders, { rounds: 6, perRound: 200, warmUp: 1_000 });
  // Interleaved, so that both see the same machine.
  const rates = { ours: [] as number[], bare: [] as number[], large: [] as number[], bareLarge: [] as number[] };
  for (let round = 0; round < 3; round += 1) {
    rates.ours.push(await rate(() => ours(0), 1_500, 16));
    rates.bare.push(await rate(() => bare(0), 1_500, 16));
    rates.large.push(await rate(() => ours(KB_64), 300, 8));
    rates.bareLarge.push(await rate(() => bare(KB_64), 300, 8));
  }
  const best = (values: readonly number[]): number => Math.max(...values);
  const share = best(rates.large) / best(rates.bareLarge);
  const roundTrip = roundTripRow({ group: GROUP, peer, peerName: 'bare ws relay, same SQLite settings', atMost: 1.4 });
  return [
    roundTrip('a call that reads, there and back', synapse),
    roundTrip('a call that must not run twice, there and back', committed),
    {
      group: GROUP,
      what: 'calls a second, 16 in flight',
      ours: best(rates.ours).toFixed(0),
      peer: `${best(rates.bare).toFixed(0)} (bare ws relay)`,
      compared: '',
      target: '> 1,500',
      met: best(rates.ours) > 1_500,
    },
    {
      group: GROUP,
      what: 'results of 64 KB, 8 in flight',
      ours: `${((best(rates.large) * 64) / 1_024).toFixed(1)} MB/s`,
      peer: `${((best(rates.bareLarge) * 64) / 1_024).toFixed(1)} MB/s (bare ws relay)`,
      compared: `${share.toFixed(2)}×`,
      target: '≥ 0.7×',
      met: share >= 0.7,
    },
  ];
}

/** Compares sealed calls with calls in the clear. */
async function sealing(folder: string, clear: Callers): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const sealed = await openOurs(join(folder, 'sealed'), stack, true);
  const [sealedRead, clearRead, sealedOnce, clearOnce] = await measure(
    [
      { name: 'sealed read', run: () => sealed.read(0) },
      { name: 'read', run: () => clear.read(0) },
      { name: 'sealed once', run: () => sealed.once(0) },
      { name: 'once', run: () => clear.once(0) },
    ],
    { rounds: 6, perRound: 200, warmUp: 1_000 },
  );
  const row = (what: string, ours: Timing | undefined, peer: Timing | undefined): Row => ({
    group: GROUP,
    what,
    ours: time(ours?.median ?? NaN),
    peer: `${time(peer?.median ?? NaN)} (in the clear)`,
    compared: `${(1 / speedup(ours, peer)).toFixed(2)}×`,
    target: '',
    met: true,
  });
  return [
    row('what sealing adds: a call that reads', sealedRead, clearRead),
    row('what sealing adds: a call that must not run twice', sealedOnce, clearOnce),
  ];
}

const memoryRow = (what: string, ours: string, target: string, met: boolean): Row => ({
  group: GROUP,
  what,
  ours,
  peer: '',
  compared: '',
  target,
  met,
});

/** Measures idle sessions with one machine each. */
async function idleSessions(folder: string): Promise<Row> {
  await using relay = new MeasuredProcess('relay-process', ['0', join(folder, 'idle.sqlite')]);
  const url = await relay.line();
  const sockets: WebSocket[] = [];
  const open = async (name: string): Promise<void> => {
    const socket = new WebSocket(sessionUrl(url, name), { perMessageDeflate: false });
    sockets.push(socket);
    const [challenge] = (await once(socket, 'message')) as [Buffer];
    const credit = { frames: 64, bytes: MB };
    const hello = { type: 'hello', v: PROTOCOL_VERSION, role: 'hands', inst: crypto.randomUUID(), ledger: name, epoch: 0, credit };
    const welcomed = once(socket, 'message');
    // Waiting for a welcome that does not come would hang.
    const refused = (code: number): boolean => socket.emit('error', new Error(`The relay closed the line of an idle session: ${code}`));
    socket.once('close', refused);
    socket.send(withSum(nonceOf(challenge.toString()), JSON.stringify(hello)));
    await welcomed;
    socket.off('close', refused);
  };
  for (let count = 0; count < 100; count += 1) await open(`warm-${count}`);
  const before = await relay.memory();
  for (let count = 0; count < SESSIONS; count += OPENED_AT_ONCE) {
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, (_, index) => open(`idle-${count + index}`)));
  }
  const each = ((await relay.memory()).rss - before.rss) / SESSIONS / 1_024;
  for (const socket of sockets) socket.terminate();
  return memoryRow(`an idle session, of ${SESSIONS}`, `${each.toFixed(1)} KB`, '< 40 KB', each < 40);
}

/** Ten thousand tiny frames a second for ten seconds, from one party. In the second before, the engine has got the room that it turns over. */
async function tinyFrames(folder: string): Promise<Row> {
  await using relay = new MeasuredProcess('relay-process', ['0', join(folder, 'tiny.sqlite')]);
  await using party = await rawBrain(sessionUrl(await relay.line(), 'desk'));
  const send = async (seconds: number): Promise<void> => {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    let left = seconds * 10_000;
    const take = (): void => void ((left -= 1) === 0 && resolve());
    party.socket.on('message', take);
    for (let slice = 0; slice < seconds * 10; slice += 1) {
      for (let count = 0; count < 1_000; count += 1) party.socket.send('ping');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await answered;
    party.socket.off('message', take);
  };
  await send(1);
  const before = await relay.memory();
  await send(10);
  const after = await relay.memory();
  const [grown, kept] = [after.rss - before.rss, after.kept - before.kept];
  return memoryRow('10,000 tiny frames a second for 10 s: relay', `+${megabytes(grown)} (kept: ${megabytes(kept)})`, '< 8 MB', grown < 8 * MB);
}

async function stalled(): Promise<Row[]> {
  const { relay, hands } = await floodStalledReader(300);
  const row = (what: string, { rss, kept }: { readonly rss: number; readonly kept: number }): Row =>
    memoryRow(`300 MB of output to a stalled reader: ${what}`, `${megabytes(rss)} (kept: ${megabytes(kept)})`, '< 8 MB', rss < 8 * MB);
  return [row('relay', relay), row('machine', hands)];
}

/** Compares remote hands with a relay that only commits and forwards; each party is a process. */
export async function remoteCases(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-bench-remote-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const clear = await openOurs(folder, stack);
  const rows = await roundTrips(clear.read, clear.once, await openBare(folder, stack));
  rows.push(...(await sealing(folder, clear)));
  return [...rows, await idleSessions(folder), await tinyFrames(folder), ...(await stalled())];
}
