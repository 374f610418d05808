import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { counted, remoteBench } from './fixtures/bench.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

const CALLS = 40;

it('a machine that was copied while calls wait there, and its copy, run none of them twice', { timeout: 60_000 }, async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await remoteBench(0, gate.promise);
  await using relay = await serveRelay({ port: 0 });
  const said: string[] = [];
  const serve = (stateFolder: string): ConnectedHands => {
    const onStatus = ({ text }: { readonly text: string }): unknown => said.push(text);
    return new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder, jitter: () => 0.02, onStatus });
  };
  await using original = serve(bench.state);
  await using brain = connectHands(relay.url, { session: 'desk', jitter: () => 0.02 });
  const made = Array.from({ length: CALLS }, (_, index) => brain.call('count', { text: `call-${index}` }));
  // As many as run at the same time. The others wait for them, in the ledger.
  await vi.waitFor(() => expect(counted(bench.counter).size).toBe(16), { timeout: 60_000 });
  const copy = join(bench.state, '..', 'copy');
  await cp(bench.state, copy, { recursive: true, preserveTimestamps: true });
  await using _clone = serve(copy);
  await original.stopped;
  gate.resolve();
  const results = await Promise.all(made);
  await vi.waitFor(() => expect(counted(bench.counter).size).toBe(CALLS), { timeout: 60_000 });
  expect([...counted(bench.counter).values()].filter((times) => times > 1)).toEqual([]);
  // The original may have run them, and it is not there any more to say so.
  expect(new Set(results.map((result) => (result.ok ? 'done' : result.error.details?.['status'])))).toEqual(new Set(['interrupted']));
  expect(said).toContainEqual(expect.stringContaining('The records of this session are a copy'));
  await expect(brain.call('count', { text: 'new' })).resolves.toMatchObject({ ok: true });
});
