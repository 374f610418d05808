import { join } from 'node:path';
import { it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { counted, remoteBench, type RemoteBench } from './fixtures/bench.ts';
import { firstLine, startProgram, succeeding } from './fixtures/dying-process.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

/** Short waits between attempts: it is the order of things that is tested here. */
const jitter = (): number => 0.1;

/** Milliseconds a call takes: longer than those that end before they are accepted or written down at the relay. */
const LATE_MS = 100;

/** Where calls go, and what has died there. */
interface FaultyPlace extends AsyncDisposable {
  readonly url: string;
  readonly deaths: readonly string[];
}

function serveHere(bench: RemoteBench, relay: string): ConnectedHands {
  const hands = new ConnectedHands(bench.hands, { url: sessionUrl(relay, 'desk'), name: 'desk', stateFolder: bench.state, jitter });
  void hands.stopped;
  return hands;
}

/** A machine as a process that dies, and a relay here. */
async function dyingHands(bench: RemoteBench, crashAt: string): Promise<FaultyPlace> {
  const relay = await serveRelay({ port: 0, file: join(bench.state, 'relay.sqlite') });
  const { url } = relay;
  const { folder, state, counter } = bench;
  const child = startProgram('hands-process', sessionUrl(url, 'desk'), folder, state, counter, crashAt, '1', String(LATE_MS));
  // It comes back here, as what counts is what the process left.
  const hands = succeeding(child, () => Promise.resolve(serveHere(bench, url)));
  return {
    url,
    deaths: hands.deaths,
    [Symbol.asyncDispose]: async () => {
      await hands[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}

/** A relay as a process that dies, and a machine here. */
async function dyingRelay(bench: RemoteBench, crashAt: string): Promise<FaultyPlace> {
  const file = join(bench.state, 'relay.sqlite');
  const child = startProgram('relay-process', '0', file, crashAt);
  const url = await firstLine(child);
  const relay = succeeding(child, () => serveRelay({ port: Number(new URL(url).port), file }));
  const hands = serveHere(bench, url);
  return {
    url,
    deaths: relay.deaths,
    [Symbol.asyncDispose]: async () => {
      await hands[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}

const CALLS = ['a', 'b', 'c'];

const POINTS: ReadonlyArray<{ readonly hands?: string; readonly relay?: string }> = [
  { hands: 'commit:accepted' },
  { hands: 'commit:started' },
  { hands: 'run' },
  { hands: 'send:tool_accepted' },
  { hands: 'commit:done' },
  { hands: 'send:tool_result' },
  { relay: 'store:session' },
  { relay: 'send:welcome' },
  { relay: 'store:call' },
  { relay: 'send:tool_call' },
  { relay: 'store:result' },
  { relay: 'send:tool_result' },
  { relay: 'store:received' },
  { relay: 'send:received' },
];

it.concurrent.for(POINTS)(
  'killed before %j: no call runs twice, each gets one result, and what ran is told truly',
  { timeout: 300_000 },
  async (crash, { expect }) => {
    const gate = Promise.withResolvers<void>();
    await using bench = await remoteBench(LATE_MS, gate.promise);
    await using place = crash.hands === undefined ? await dyingRelay(bench, crash.relay ?? '') : await dyingHands(bench, crash.hands);
    const open = () => connectHands(place.url, { session: 'desk', jitter });
    // Results that their brain confirms at once are not written down at the relay. This one leaves while its calls run.
    if (crash.relay === 'store:result') {
      await using leaving = open();
      for (const text of CALLS) void leaving.call('count', { text, size: 70_000 }, { callId: text });
      await expect.poll(() => counted(bench.counter).size).toBe(CALLS.length);
      await leaving[Symbol.asyncDispose]();
      gate.resolve();
      await expect.poll(() => place.deaths).toEqual(['SIGKILL']);
    }
    gate.resolve();
    await using brain = open();
    const results = await Promise.all(CALLS.map((text) => brain.call('count', { text, size: 70_000 }, { callId: text })));
    const counts = counted(bench.counter);
    for (const [index, text] of CALLS.entries()) {
      const result = results[index]!;
      const times = counts.get(text) ?? 0;
      expect(times).toBeLessThanOrEqual(1);
      if (result.ok) expect({ times, data: result.data }).toEqual({ times: 1, data: { text: text.padEnd(70_000, 'ä') } });
      // Only a machine that died leaves a call of which it is not known what it did.
      else
        expect({ crash, status: result.error.details }).toEqual({
          crash: { hands: expect.any(String) as string },
          status: { status: 'interrupted' },
        });
    }
    // After the results of the last call are confirmed, which may be when it dies.
    await expect.poll(() => place.deaths).toEqual(['SIGKILL']);
  },
);

/** Calls that only read, killed before a step. What their machine had not recorded yet runs again, because nothing happened. */
const READS = [
  { before: 'run', afterMs: 0, ends: 'ok' },
  { before: 'commit:done', afterMs: 0, ends: 'ok' },
  { before: 'send:tool_result', afterMs: 0, ends: 'ok' },
  // A longer one is recorded while it runs, before `tool_accepted` is sent.
  { before: 'send:tool_accepted', afterMs: 300, ends: 'interrupted' },
];

it.concurrent.for(READS)('a read, killed before $before, ends as $ends', { timeout: 300_000 }, async ({ before, afterMs, ends }, { expect }) => {
  await using bench = await remoteBench();
  await using place = await dyingHands(bench, before);
  await using brain = connectHands(place.url, { session: 'desk', jitter });
  const result = await brain.call('echo', { text: 'a', afterMs }, { callId: 'a' });
  expect(result.ok ? 'ok' : result.error.details?.['status']).toBe(ends);
  await expect.poll(() => place.deaths).toEqual(['SIGKILL']);
});
