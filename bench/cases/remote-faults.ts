import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { connectHands } from '@synapse/remote/brain';
import { sessionUrl } from '@synapse/remote';
import { ChaosProxy } from '../../packages/remote/src/fixtures/chaos-proxy.ts';
import { hasNats, NatsCluster } from '../../packages/remote/src/fixtures/nats-cluster.ts';
import { RestartingProcess } from '../../packages/remote/src/fixtures/restarting-process.ts';
import { storm } from '../../packages/remote/src/fixtures/storm.ts';
import { median } from '../measure.ts';
import { megabytes, time, type Row } from '../result.ts';

const GROUP = 'Hands far away, when a relay is killed';
const TRIALS = 7;
const MACHINES = 1_000;

const portOf = (url: string): number => Number(new URL(url).port);
const row = (what: string, ours: string, target: string, met: boolean): Row => ({ group: GROUP, what, ours, peer: '', compared: '', target, met });

/** Creates the folders of a machine, and returns its arguments. */
function machineIn(folder: string, url: string): readonly string[] {
  const [workspace, state] = [join(folder, 'workspace'), join(folder, 'state')];
  for (const one of [workspace, state]) mkdirSync(one, { recursive: true });
  return [url, workspace, state, join(folder, 'counter'), '', '1', '0', 'random'];
}

/** An installed relay: the sources would have to be compiled at each start. */
class InstalledRelay implements AsyncDisposable {
  readonly #words: readonly string[];
  #child: ChildProcess | undefined;
  url = '';

  constructor(folder: string) {
    this.#words = [fileURLToPath(new URL('../../packages/cli/bin/synapse.js', import.meta.url)), 'relay', '--dev', '--data', folder];
  }

  /** Starts the relay; again on the same port. */
  async start(): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port;
    const child = spawn(process.execPath, [...this.#words, '--port', port], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#child = child;
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    this.url = line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** Measures the time from the kill of a relay, which restarts at once, to the result of a call made at that moment. */
async function resumed(folder: string): Promise<Row> {
  await using stack = new AsyncDisposableStack();
  const relay = stack.use(new InstalledRelay(join(folder, 'relay')));
  await relay.start();
  const { url } = relay;
  stack.use(new RestartingProcess('hands-process', () => machineIn(folder, sessionUrl(url, 'desk'))));
  const brain = stack.use(connectHands(url, { session: 'desk' }));
  await brain.call('count', { text: 'x' });
  const waits: number[] = [];
  const starts: number[] = [];
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const began = performance.now();
    await relay[Symbol.asyncDispose]();
    await relay.start();
    starts.push(performance.now() - began);
    await brain.call('count', { text: 'x' });
    waits.push(performance.now() - began);
    // After ten seconds a connection counts as stable, and the delays between attempts are short again.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
  }
  const [middle, most] = [median(waits), Math.max(...waits)];
  return row(
    `the relay starts again at once: from its kill to the next result, of ${TRIALS}`,
    `${time(middle)}, at most ${time(most)}; until it listened: ${time(median(starts))}`,
    '< 2 s',
    middle < 2_000,
  );
}

/** Like `resumed`, but another node takes over: the killed one owned the session, and clients use a load balancer. */
async function takenOver(folder: string): Promise<Row[]> {
  if (!hasNats()) return [];
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await NatsCluster.open());
  const start = async () => {
    const process = new RestartingProcess('nats-relay-process', () => ['0', cluster.servers.join(',')]);
    return { process, port: portOf(await process.line()) };
  };
  const other = await start();
  stack.use(other.process);
  const waits: number[] = [];
  const calls: number[] = [];
  for (let trial = 0; trial < TRIALS; trial += 1) {
    await using place = new AsyncDisposableStack();
    const owner = await start();
    place.use(owner.process);
    let target = owner.port;
    const balancer = place.use(await ChaosProxy.open(() => target));
    const session = `desk${trial}`;
    const url = sessionUrl(`ws://127.0.0.1:${balancer.port}`, session);
    const near = connectHands(`ws://127.0.0.1:${owner.port}`, { session });
    place.use(new RestartingProcess('hands-process', () => machineIn(join(folder, session), url)));
    await near.call('count', { text: 'x' });
    await near[Symbol.asyncDispose]();
    const brain = place.use(connectHands(`ws://127.0.0.1:${other.port}`, { session }));
    for (let count = 0; count < 200; count += 1) {
      const began = performance.now();
      await brain.call('count', { text: 'x' });
      calls.push(performance.now() - began);
    }
    const began = performance.now();
    await owner.process.kill();
    target = other.port;
    await brain.call('count', { text: 'x' });
    waits.push(performance.now() - began);
  }
  const [middle, most] = [median(waits), Math.max(...waits)];
  return [
    row('NATS, three servers, machine and brain at two nodes: a call there and back', time(median(calls)), '', true),
    row(`NATS: from the kill of the owner to the next result, of ${TRIALS}`, `${time(middle)}, at most ${time(most)}`, '< 2 s', middle < 2_000),
  ];
}

async function stormRow(): Promise<Row> {
  const { waits, attempts, peak } = await storm(MACHINES, 30);
  const at = (share: number): number => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? NaN;
  const ours = `p50 ${time(at(0.5))}, p99 ${time(at(0.99))}; at most ${attempts} attempts each; relay ${megabytes(peak)}`;
  return row(
    `${MACHINES.toLocaleString('en')} machines come back at once, after it listens again`,
    ours,
    'p99 < 10 s, ≤ 3 attempts',
    at(0.99) < 10_000 && attempts <= 3,
  );
}

/** Measures the effect of a relay that is killed. */
export async function remoteFaultCases(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-bench-faults-'));
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  return [await resumed(join(folder, 'node')), ...(await takenOver(folder)), await stormRow()];
}
