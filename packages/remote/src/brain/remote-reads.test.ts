import { SynapseError } from '@synapse/protocol';
import type { DataFrames } from '@synapse/protocol/remote';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RemoteReads } from './remote-reads.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const REPEAT_MS = 1_000;

/** Reads, and the requests that they sent. */
function reading() {
  const said: number[] = [];
  const open = new Set<string>();
  const is = { online: true };
  const reads = new RemoteReads({
    brain: 'b',
    say: ({ from }) => void said.push(from),
    isOnline: () => is.online,
    isOpen: (call) => open.has(call),
    repeatMs: REPEAT_MS,
  });
  const hear = (chunk: Pick<DataFrames['chunk'], 'from' | 'data' | 'next' | 'total' | 'refused'>): void =>
    reads.take({ type: 'chunk', brain: 'b', of: 'output', name: 'a', ...chunk });
  return { reads, said, hear, open, is };
}

it('takes a text in parts, and asks for more when those that it asked for have come', async () => {
  const { reads, said, hear } = reading();
  const heard = vi.fn<() => void>();
  const text = reads.read('output', 'a', { onHeard: heard });
  for (let from = 0; from < 17; from += 1) hear({ from, data: 'x', next: from + 1, total: 17 });
  expect(await text).toBe('x'.repeat(17));
  expect([said, heard.mock.calls.length, vi.getTimerCount()]).toEqual([[0, 16], 17, 0]);
});

it.each([
  ['nothing', { data: '', next: 0 }],
  ['a text that does not move on', { data: 'x', next: 0 }],
  ['a step without a text', { data: '', next: 1 }],
])('a machine that answers with %s has not answered', async (_, { data, next }) => {
  const { reads, said, hear } = reading();
  const heard = vi.fn<() => void>();
  const text = reads.read('output', 'a', { onHeard: heard });
  for (let count = 0; count < 40; count += 1) hear({ from: 0, data, next, total: 9 });
  expect([said, heard.mock.calls.length]).toEqual([[0], 0]);
  await vi.advanceTimersByTimeAsync(REPEAT_MS);
  hear({ from: 0, data: 'good text', next: 9, total: 9 });
  expect(await text).toBe('good text');
  expect(said).toEqual([0, 0]);
});

it('an empty text is read at once', async () => {
  const { reads, hear } = reading();
  const text = reads.read('output', 'a', { from: 5 });
  hear({ from: 5, data: '', next: 5, total: 5 });
  expect(await text).toBe('');
});

it('a read that is given up is ended, and one that is shared goes on for the others', async () => {
  const { reads, said, hear } = reading();
  const [first, second] = [new AbortController(), new AbortController()];
  const one = reads.read('output', 'a', { signal: first.signal });
  const two = reads.read('output', 'a', { signal: second.signal });
  first.abort(new Error('enough'));
  await expect(one).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(REPEAT_MS);
  expect(said).toEqual([0, 0]);
  hear({ from: 0, data: 'x', next: 1, total: 2 });
  second.abort(new Error('enough, too'));
  await expect(two).rejects.toThrow('enough, too');
  expect(vi.getTimerCount()).toBe(0);
  reads.askAgain();
  await vi.advanceTimersByTimeAsync(9 * REPEAT_MS);
  expect(said).toEqual([0, 0]);
  // The next one starts anew.
  const three = reads.read('output', 'a');
  hear({ from: 0, data: 'xy', next: 2, total: 2 });
  expect(await three).toBe('xy');
});

it('a read that was given up before it began is not asked for', async () => {
  const { reads, said } = reading();
  await expect(reads.read('output', 'a', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect([said, vi.getTimerCount()]).toEqual([[], 0]);
});

it('a connection that ends fails every reader', async () => {
  const { reads } = reading();
  const texts = [reads.read('output', 'a'), reads.read('output', 'a'), reads.read('output', 'b')];
  const failed = Promise.allSettled(texts);
  reads.fail(new SynapseError('unavailable', 'The connection is closed.'));
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(vi.getTimerCount()).toBe(0);
});

const REFUSED = { from: 0, data: 'No.', next: 0, total: 0, refused: true } as const;

it('a text that the machine refuses fails every reader at once', async () => {
  const { reads, hear } = reading();
  const texts = Promise.allSettled([reads.read('output', 'a'), reads.read('output', 'a')]);
  hear(REFUSED);
  const error = expect.objectContaining({ code: 'not_found', message: 'No call of this device has the id a.' }) as object;
  expect(await texts).toEqual([0, 1].map(() => ({ status: 'rejected', reason: error })));
  expect(vi.getTimerCount()).toBe(0);
});

it('the output of an open call is asked for until the machine has it', async () => {
  const { reads, said, hear, open } = reading();
  open.add('a');
  const text = reads.read('output', 'a');
  for (let count = 0; count < 40; count += 1) {
    hear(REFUSED);
    await vi.advanceTimersByTimeAsync(REPEAT_MS);
  }
  hear({ from: 0, data: 'x', next: 1, total: 1 });
  expect([await text, said.length]).toEqual(['x', 41]);
});

it('a machine that is online and never answers is given up; one that is away is waited for', async () => {
  const { reads, said, hear, is } = reading();
  const first = Promise.allSettled([reads.read('output', 'a')]);
  await vi.advanceTimersByTimeAsync(30 * REPEAT_MS);
  expect(await first).toMatchObject([{ reason: { code: 'unavailable', message: 'The machine does not answer.' } }]);
  expect([said.length, vi.getTimerCount()]).toEqual([25, 0]);
  is.online = false;
  const second = reads.read('output', 'a');
  await vi.advanceTimersByTimeAsync(300 * REPEAT_MS);
  hear({ from: 0, data: 'x', next: 1, total: 1 });
  expect(await second).toBe('x');
});
