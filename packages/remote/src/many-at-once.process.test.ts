import type { DataFrame } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { counted, remoteBench } from './fixtures/bench.ts';
import { rawBrain } from './fixtures/raw-party.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

/** Far more than lines hold back. */
const MANY = 40;
const LONG = 180_000;

/** A relay, and a machine that can be away. */
async function place() {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(await remoteBench());
  const relay = stack.use(await serveRelay({ port: 0 }));
  const url = sessionUrl(relay.url, 'desk');
  const lines: string[] = [];
  const onStatus = ({ text }: { readonly text: string }): void => void lines.push(text);
  const machine = () => new ConnectedHands(bench.hands, { url, name: 'desk', stateFolder: bench.state, jitter: () => 0.01, onStatus });
  let taken = 0;
  const openSocket = (address: string): WebSocket => {
    const socket = new WebSocket(address);
    socket.addEventListener('message', ({ data }) => (taken = Math.max(taken, Number(/"ack":(\d+)/u.exec(String(data))?.[1] ?? 0))));
    return socket;
  };
  const brain = stack.use(connectHands(relay.url, { session: 'desk', jitter: () => 0.01, openSocket }));
  brain.subscribe((event) => event.type === 'line' && lines.push(event.text));
  const opened = stack.move();
  return {
    url,
    lines,
    machine,
    brain,
    /** Makes more calls at once than lines hold back, and returns what came of them. */
    many: async (make: (index: number) => { readonly text: string; readonly size?: number }) =>
      Promise.all(Array.from({ length: MANY }, async (_, index) => (await brain.call('count', make(index))).ok)),
    /** The number of frames that the relay has taken from the brain. */
    taken: () => taken,
    runs: () => [...counted(bench.counter)].map(([, times]) => times),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const long = (index: number) => ({ text: `${index} `.padEnd(LONG, 'x') });
const ALL = Array.from({ length: MANY }, () => true);

it('many long calls at once all run, on the same lines', { timeout: 60_000 }, async () => {
  await using there = await place();
  await using _machine = there.machine();
  expect(await there.many(long)).toEqual(ALL);
  expect(there.runs()).toEqual(Array.from({ length: MANY }, () => 1));
  expect(there.lines).toEqual(['Connected.', 'Connected.']);
});

it('many long calls that waited for the machine all run when it returns, on one line', { timeout: 60_000 }, async () => {
  await using there = await place();
  {
    await using _first = there.machine();
    expect(await there.brain.call('count', { text: 'first' })).toMatchObject({ ok: true });
  }
  const made = there.many(long);
  // Then the relay has more of them than a line holds back.
  await expect.poll(() => there.taken()).toBeGreaterThan(MANY / 2);
  there.lines.length = 0;
  await using _again = there.machine();
  expect(await made).toEqual(ALL);
  expect(there.lines).toEqual(['Connected.']);
});

it('many long results at once all arrive, on the same lines', { timeout: 60_000 }, async () => {
  await using there = await place();
  await using _machine = there.machine();
  expect(await there.many((index) => ({ text: `${index}`, size: 45_000 }))).toEqual(ALL);
  expect(there.lines).toEqual(['Connected.', 'Connected.']);
});

const read = (brain: string): DataFrame => ({ type: 'read', brain, of: 'result', name: 'long', from: 0, chunks: 16 });

it.each<[string, (brain: string) => DataFrame]>([
  ['reads of a long result', read],
  ['questions for many results', (brain) => ({ type: 'sync', brain, calls: Array.from({ length: 1_000 }, () => 'long') })],
])('a brain that sends many %s does not end the line of the machine', { timeout: 60_000 }, async (_, frame) => {
  await using there = await place();
  await using _machine = there.machine();
  expect(await there.brain.call('count', { text: 'first' })).toMatchObject({ ok: true });
  // The sizes fit the frames: a result that is sent whole, and one that is read.
  const size = frame('b').type === 'read' ? 500_000 : 40_000;
  expect(await there.brain.call('count', { text: 'long', size }, { callId: 'long' })).toMatchObject({ ok: true });
  await using greedy = await rawBrain(there.url, { frames: 1_000_000, bytes: 1_000_000_000 });
  for (let count = 0; count < 30; count += 1) greedy.send(frame(greedy.inst));
  expect(await there.brain.call('count', { text: 'other' })).toMatchObject({ ok: true });
  expect(there.lines).toEqual(['Connected.', 'Connected.']);
});
