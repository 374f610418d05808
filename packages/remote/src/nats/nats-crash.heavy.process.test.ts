import { afterAll, beforeAll, it } from 'vitest';
import { connectHands } from '../brain/connect-hands.ts';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { ChaosProxy } from '../fixtures/chaos-proxy.ts';
import { firstLine, startProgram, succeeding } from '../fixtures/dying-process.ts';
import { hasNats, NatsCluster } from '../fixtures/nats-cluster.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { sessionUrl } from '../session-url.ts';
import { serveRelay, type ServedRelay } from '../relay/serve-relay.ts';
import { openNatsBackend } from './nats-backend.ts';

const LEASE_MS = 3_000;
const CALLS = ['a', 'b', 'c'];
const SIZE = 70_000;
const jitter = (): number => 0.1;
const portOf = (url: string): number => Number(new URL(url).port);

let cluster: NatsCluster | undefined;
let survivor: ServedRelay | undefined;
beforeAll(async () => {
  if (!hasNats()) return;
  cluster = await NatsCluster.open();
  const backend = await openNatsBackend({ servers: cluster.servers, access: 'open', leaseMs: LEASE_MS });
  survivor = await serveRelay({ port: 0, backend });
}, 60_000);
afterAll(async () => {
  await survivor?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** A node that dies before one of its effects. Then the balancer leads to the one that lives. */
async function dyingNode(servers: readonly string[], alive: ServedRelay, crashAt: string) {
  await using stack = new AsyncDisposableStack();
  const child = startProgram('nats-relay-process', '0', servers.join(','), String(LEASE_MS), crashAt);
  let target = 0;
  const balancer = stack.use(await ChaosProxy.open(() => target));
  const node = stack.use(
    succeeding(child, () => {
      target = portOf(alive.url);
      balancer.cutAll();
      return Promise.resolve(new AsyncDisposableStack());
    }),
  );
  target = portOf(await firstLine(child));
  const opened = stack.move();
  return { url: `ws://127.0.0.1:${balancer.port}`, deaths: node.deaths, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const POINTS = [
  'store:session',
  'send:welcome',
  'store:call',
  'send:tool_call',
  'store:result',
  'send:tool_result',
  'store:received',
  'send:received',
] as const;

it.for(POINTS)(
  'the node that owns a session is killed before %s: another takes over, no call runs twice, each gets its result',
  { timeout: 180_000 },
  async (crashAt, { expect, skip }) => {
    const { servers } = cluster ?? skip('nats-server is not installed here.');
    if (survivor === undefined) return;
    const session = `crash-${crashAt.replace(/\W/gu, '-')}`;
    const gate = Promise.withResolvers<void>();
    await using bench = await remoteBench(0, gate.promise);
    await using place = await dyingNode(servers, survivor, crashAt);
    await using hands = new ConnectedHands(bench.hands, { url: sessionUrl(place.url, session), name: session, stateFolder: bench.state, jitter });
    hands.stopped.catch(() => {});
    const open = () => connectHands(place.url, { session, jitter });
    const dead = () => expect.poll(() => place.deaths, { timeout: 60_000 }).toEqual(['SIGKILL']);
    // Results that their brain confirms at once are not written down. This one leaves while its calls run.
    if (crashAt === 'store:result') {
      await using leaving = open();
      for (const text of CALLS) void leaving.call('count', { text, size: SIZE }, { callId: text });
      await expect.poll(() => counted(bench.counter).size, { timeout: 60_000 }).toBe(CALLS.length);
      await leaving[Symbol.asyncDispose]();
      gate.resolve();
      await dead();
    }
    gate.resolve();
    await using brain = open();
    const results = await Promise.all(CALLS.map((text) => brain.call('count', { text, size: SIZE }, { callId: text })));
    // The machine did not die, so nothing is left open.
    expect(results.map((result) => result.ok && result.data)).toEqual(CALLS.map((text) => ({ text: text.padEnd(SIZE, 'ä') })));
    expect(Object.fromEntries(counted(bench.counter))).toEqual(Object.fromEntries(CALLS.map((text) => [text, 1])));
    await dead();
    expect(await brain.call('count', { text: 'after' })).toMatchObject({ ok: true });
  },
);
