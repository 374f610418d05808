import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectHands } from '../brain/connect-hands.ts';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { ChaosProxy, type Toxic } from '../fixtures/chaos-proxy.ts';
import { hasNats, NatsCluster } from '../fixtures/nats-cluster.ts';
import { RestartingProcess } from '../fixtures/restarting-process.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { sessionUrl } from '../session-url.ts';
import { natsNames } from './nats-names.ts';
import { decodeEntry } from './session-entries.ts';

/** Short, so that a test need not wait for half a minute. */
const LEASE_MS = 3_000;
const TIMEOUT = 90_000;
const jitter = (): number => 0.05;
const portOf = (url: string): number => Number(new URL(url).port);

let cluster: NatsCluster | undefined;
beforeAll(async () => {
  if (hasNats()) cluster = await NatsCluster.open();
}, 60_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

interface Node {
  readonly process: RestartingProcess;
  readonly url: string;
}

async function startNode(servers: readonly string[]): Promise<Node> {
  const process = new RestartingProcess('nats-relay-process', () => ['0', servers.join(','), String(LEASE_MS)]);
  return { process, url: await process.line() };
}

/** Three nodes. The machine reaches them as through a load balancer, which begins with the first one; that one owns its session. */
async function openPlace(session: string, servers: readonly string[], serversOfFirst = servers, delayMs = 100) {
  await using stack = new AsyncDisposableStack();
  const [first, second, third] = await Promise.all([startNode(serversOfFirst), startNode(servers), startNode(servers)]);
  for (const { process } of [first, second, third]) stack.use(process);
  let target = portOf(first.url);
  const balancer = stack.use(await ChaosProxy.open(() => target));
  const bench = stack.use(await remoteBench(delayMs));
  const url = sessionUrl(`ws://127.0.0.1:${balancer.port}`, session);
  const connected = stack.use(new ConnectedHands(bench.hands, { url, name: session, stateFolder: bench.state, jitter }));
  connected.stopped.catch(() => {});
  const near = stack.use(connectHands(first.url, { session, jitter }));
  expect(await near.call('count', { text: 'first' })).toMatchObject({ ok: true });
  const far = stack.use(connectHands(third.url, { session, jitter }));
  expect(await far.call('count', { text: 'second' })).toMatchObject({ ok: true });
  const opened = stack.move();
  return {
    first: first.process,
    near,
    far,
    counts: () => Object.fromEntries(counted(bench.counter)),
    /** The balancer finds the first node dead. */
    switchOver: () => {
      target = portOf(second.url);
      balancer.cutAll();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type Place = Awaited<ReturnType<typeof openPlace>>;

const once = (...texts: readonly string[]): Record<string, number> => Object.fromEntries(texts.map((text) => [text, 1]));
const SIZE = 90_000;

/** Calls of which each has to give its whole output. */
function callAll(brain: Place['near'], texts: readonly string[]): Promise<void> {
  const calls = texts.map(async (text) => {
    const result = await brain.call('count', { text, size: SIZE }, { callId: text });
    expect(result.ok && result.data).toEqual({ text: text.padEnd(SIZE, 'ä') });
  });
  return Promise.all(calls).then(() => {});
}

/** Under which ownership each entry of the log was written, in order. */
async function tokensOf(session: string, servers: readonly string[]): Promise<number[]> {
  const connection = await connect({ servers: [...servers] });
  const manager = await jetstreamManager(connection);
  const names = natsNames('open');
  const tokens: number[] = [];
  for (let seq = 1; ; seq += 1) {
    const query = { seq, next_by_subj: names.log(session) };
    const message = await manager.streams.getMessage(names.stream, query);
    if (message === null) break;
    tokens.push(decodeEntry(message.data).token);
    seq = message.seq;
  }
  await connection.close();
  return tokens;
}

/** The index of the server that leads the stream of the logs. */
async function leaderOf(servers: readonly string[]): Promise<number> {
  const connection = await connect({ servers: [...servers] });
  const { cluster: group } = await (await jetstreamManager(connection)).streams.info(natsNames('open').stream);
  await connection.close();
  return Number(group?.leader?.slice(1));
}

const TEXTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

it('the node that owns the session is killed: the others go on, nothing runs twice', { timeout: TIMEOUT }, async ({ skip }) => {
  const { servers } = cluster ?? skip('nats-server is not installed here.');
  await using place = await openPlace('killed', servers);
  const calls = callAll(place.far, TEXTS);
  await expect.poll(() => Object.keys(place.counts()).length).toBeGreaterThan(2);
  await place.first.kill();
  place.switchOver();
  await calls;
  expect(place.counts()).toEqual(once('first', 'second', ...TEXTS));
  const tokens = await tokensOf('killed', servers);
  expect(new Set(tokens).size).toBeGreaterThan(1);
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
});

it('an owner that was stopped for longer than its lease does not go on as the owner', { timeout: TIMEOUT }, async ({ skip }) => {
  const { servers } = cluster ?? skip('nats-server is not installed here.');
  await using place = await openPlace('stopped', servers);
  const goOn = place.first.stop();
  // It will find them when it wakes: it must neither store them nor pass them on as the owner.
  const asleep = callAll(place.near, ['asleep-1', 'asleep-2']);
  place.switchOver();
  await callAll(place.far, TEXTS);
  goOn();
  await asleep;
  await callAll(place.near, ['awake']);
  expect(place.counts()).toEqual(once('first', 'second', 'asleep-1', 'asleep-2', 'awake', ...TEXTS));
  const tokens = await tokensOf('stopped', servers);
  expect(new Set(tokens).size).toBeGreaterThan(1);
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
});

it('the server of NATS that leads the logs is killed, then comes back: calls go on', { timeout: TIMEOUT }, async ({ skip }) => {
  const there = cluster ?? skip('nats-server is not installed here.');
  await using place = await openPlace('server', there.servers);
  const calls = callAll(place.far, ['a', 'b', 'c', 'd']);
  const leader = await leaderOf(there.servers);
  await there.kill(leader);
  await calls;
  await callAll(place.near, ['e', 'f']);
  await there.start(leader);
  await callAll(place.far, ['g', 'h']);
  expect(place.counts()).toEqual(once('first', 'second', ...TEXTS));
});

it('the owner is cut off from NATS: another takes over, and it comes back as one of many', { timeout: TIMEOUT }, async ({ skip }) => {
  const { servers } = cluster ?? skip('nats-server is not installed here.');
  let toxic: Toxic = { kind: 'none' };
  await using stack = new AsyncDisposableStack();
  const proxies: ChaosProxy[] = [];
  for (const server of servers) proxies.push(stack.use(await ChaosProxy.open(portOf(server), () => toxic)));
  await using place = await openPlace(
    'cut',
    servers,
    proxies.map(({ port }) => `nats://127.0.0.1:${port}`),
  );
  const calls = callAll(place.far, TEXTS);
  toxic = { kind: 'cut', after: 0 };
  for (const proxy of proxies) proxy.cutAll();
  const cutOff = callAll(place.near, ['cut-off']);
  place.switchOver();
  await calls;
  toxic = { kind: 'none' };
  await cutOff;
  expect(place.counts()).toEqual(once('first', 'second', 'cut-off', ...TEXTS));
  const tokens = await tokensOf('cut', servers);
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
});
