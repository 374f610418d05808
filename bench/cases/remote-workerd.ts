import { connectHands } from '@synapse/remote/brain';
import { sessionUrl } from '@synapse/remote';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { RestartingProcess } from '../../packages/remote/src/fixtures/restarting-process.ts';
import { ADMIN_TOKEN, findWorkerd, relayConfig, WorkerdRelay } from '../../packages/remote/src/fixtures/workerd.ts';
import { measure } from '../measure.ts';
import type { Row } from '../result.ts';
import { roundTripRow } from '../round-trip.ts';
import { sealedParties } from '../sealed-parties.ts';

const GROUP = 'Hands far away, through workerd';
/** Prices of Durable Objects, in dollars beyond the included amount: per million requests (20 messages are one) and rows written. */
const PRICES = { requests: 0.15, messagesPerRequest: 20, rows: 1 };
const COUNTED = 500;

const serverFile = (name: string): string => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url));

/** Opens a bare object, and a bare machine that commits each message. */
async function bareCaller(program: string, folder: string, stack: AsyncDisposableStack): Promise<() => Promise<unknown>> {
  mkdirSync(folder);
  const relay = stack.use(await WorkerdRelay.open(program, folder, { input: serverFile('bare-object'), config: relayConfig }));
  const hands = spawn(process.execPath, [serverFile('bare-hands'), relay.url, join(folder, 'hands.sqlite')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stack.defer(async () => {
    hands.kill('SIGKILL');
    await once(hands, 'exit');
  });
  await once(createInterface({ input: hands.stdout }), 'line');
  const socket = new WebSocket(relay.url, { perMessageDeflate: false });
  await once(socket, 'open');
  stack.defer(() => socket.terminate());
  let count = 0;
  return async () => {
    socket.send(JSON.stringify({ id: `call-${(count += 1)}`, size: 0 }));
    await once(socket, 'message');
  };
}

/** Opens the relay as deployed, with a paired machine and brain. */
async function ourCaller(program: string, folder: string, stack: AsyncDisposableStack) {
  mkdirSync(folder);
  const relay = stack.use(await WorkerdRelay.open(program, folder, { input: serverFile('counted-worker'), config: relayConfig }));
  const { identity, pairing, credentials } = await sealedParties(folder);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  await fetch(`${relay.url.replace('ws:', 'http:')}/v1/admin/machines`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ identity, name: 'desk' }),
  });
  const [workspace, state] = [join(folder, 'workspace'), join(folder, 'state')];
  for (const one of [workspace, state]) mkdirSync(one);
  const words = [sessionUrl(relay.url, 'desk'), workspace, state, join(folder, 'counter'), '', '1', '0', '0.1', pairing];
  stack.use(new RestartingProcess('hands-process', () => words));
  const brain = stack.use(connectHands(relay.url, { session: 'desk', jitter: () => 0.05, credentials }));
  const counts = (): { messages: number; rows: number } => JSON.parse(relay.said.findLast((line) => line.startsWith('{"messages"')) ?? '{}') as never;
  return { call: () => brain.call('echo', { text: 'x' }), once: () => brain.call('echo_once', { text: 'x' }), counts };
}

/** Compares a call on the real Workers runtime with an object that stores and forwards messages, and computes its cost per million. */
export async function remoteWorkerdCases(): Promise<Row[]> {
  const program = findWorkerd();
  if (program === undefined) return [];
  const folder = mkdtempSync(join(tmpdir(), 'synapse-bench-workerd-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bare = await bareCaller(program, join(folder, 'bare'), stack);
  const { call, once, counts } = await ourCaller(program, join(folder, 'ours'), stack);
  const contenders = [
    { name: 'synapse', run: call },
    { name: 'once', run: once },
    { name: 'bare', run: bare },
  ];
  const [ours, committed, peer] = await measure(contenders, { rounds: 6, perRound: 100, warmUp: 1_000 });
  const roundTrip = roundTripRow({ group: GROUP, peer, peerName: 'bare object that stores each message', atMost: 1.3 });
  const before = counts();
  for (let count = 0; count < COUNTED; count += 1) await call();
  const after = counts();
  const [messages, rows] = [(after.messages - before.messages) / COUNTED, (after.rows - before.rows) / COUNTED];
  const cost = (messages / PRICES.messagesPerRequest) * PRICES.requests + rows * PRICES.rows;
  return [
    roundTrip('a call that reads, there and back, sealed', ours),
    roundTrip('a call that must not run twice, there and back, sealed', committed),
    {
      group: GROUP,
      what: 'what a call costs the account',
      ours: `${messages.toFixed(1)} messages in, ${rows.toFixed(1)} rows written: ${cost.toFixed(2)} dollars for a million calls`,
      peer: '',
      compared: '',
      target: '',
      met: true,
    },
  ];
}
