import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { findWorkerd, WorkerdRelay } from '../fixtures/workerd.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { serveRelay } from '../relay/serve-relay.ts';
import { sessionUrl } from '../session-url.ts';

const input = fileURLToPath(new URL('../fixtures/stored-agent.ts', import.meta.url));

/** An agent in a Durable Object, with a network that reaches this machine. */
const config = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "agent", worker = .agent),
    (name = "internet", network = (allow = ["private", "public"])),
    (name = "disk", disk = (path = "storage", writable = true, allowDotfiles = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "agent")],
);
const agent :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [(className = "AgentObject", uniqueKey = "agent", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "AGENT", durableObjectNamespace = "AgentObject")],
);
`;

const program = findWorkerd();

it.skipIf(program === undefined)('an agent in a Durable Object goes on with its open calls after a kill', { timeout: 120_000 }, async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await remoteBench(0, gate.promise);
  await using relay = await serveRelay({ port: 0, file: join(bench.state, 'relay.sqlite') });
  await using _machine = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state });
  await using worker = await WorkerdRelay.open(program ?? '', await mkdtemp(join(bench.state, 'worker-')), { input, config });
  const ask = async (path: string, body: string): Promise<string> =>
    await (await fetch(`${worker.url.replace('ws:', 'http:')}${path}`, { method: 'POST', body })).text();

  // A text that is longer than a row may be, with characters that must not be split.
  const long = `${'x'.repeat(599_999)}${'😀ä'.repeat(700_000)}`;
  expect(await ask('/keep', long)).toBe(String(long.length));
  const given = JSON.stringify({ address: `${relay.url}#desk`, callId: 'kept-call', text: 'once' });
  expect(await ask('/begin', given)).toBe('begun');
  await vi.waitFor(() => expect(counted(bench.counter).get('once')).toBe(1), { timeout: 60_000 });

  await worker.kill();
  gate.resolve();
  await worker.start();
  expect((await ask('/kept', '')) === long).toBe(true);
  await ask('/forget', '');
  expect(await ask('/kept', '')).toBe('none');
  expect(JSON.parse(await ask('/resume', given))).toEqual([['kept-call', true]]);
  expect(counted(bench.counter).get('once')).toBe(1);
  // Its answer was received, so that nothing is kept.
  await worker.kill();
  await worker.start();
  expect(JSON.parse(await ask('/resume', given))).toEqual([]);
});
