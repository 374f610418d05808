import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { counted, remoteBench } from './fixtures/bench.ts';
import { fastPace } from './fixtures/fast-pace.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

it('a cancelled call ends although its machine is away, and does not say that it did not run', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  await using brain = connectHands(relay.url, { session: 'desk', pace: fastPace(20) });
  {
    await using _machine = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state });
    expect(await brain.call('count', { text: 'first' })).toMatchObject({ ok: true });
  }
  const controller = new AbortController();
  const made = brain.call('count', { text: 'away' }, { signal: controller.signal });
  const other = brain.call('count', { text: 'waits' });
  controller.abort();
  const result = await made;
  expect(result).toMatchObject({
    ok: false,
    error: { code: 'cancelled', hint: 'The call was sent before, so it may have run. Look before you repeat it.' },
  });
  // Other calls wait on, and the machine learns of the cancellation when it is back.
  await using _again = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state });
  expect(await other).toMatchObject({ ok: true });
  expect([...counted(bench.counter).keys()]).toEqual(['first', 'waits']);
});
