import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { eventLog } from './event-log.ts';

const message = (id: number, text = ''): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: { text } });

async function replay(store: EventStore, after: string): Promise<number[]> {
  const heard: number[] = [];
  await store.replayEventsAfter(after, { send: async (_, sent) => void ('id' in sent && heard.push(Number(sent.id))) });
  return heard;
}

it('gives what came after, of that stream alone', async () => {
  const store = eventLog().ofSession('s');
  const first = await store.storeEvent('a', message(1));
  await store.storeEvent('b', message(2));
  const third = await store.storeEvent('a', message(3));
  expect(await replay(store, first)).toEqual([3]);
  expect(await replay(store, third)).toEqual([]);
  expect(await store.getStreamIdForEventId?.(first)).toBe('a');
});

it('gives a session nothing of another', async () => {
  const log = eventLog();
  const id = await log.ofSession('one').storeEvent('a', message(1));
  const other = log.ofSession('two');
  expect(await other.getStreamIdForEventId?.(id)).toBeUndefined();
  await expect(replay(other, id)).rejects.toThrow('not kept');
});

it('drops the oldest of whatever session once it is too much', async () => {
  const log = eventLog({ sessionBytes: 10_000, sessionEvents: 100, totalBytes: 1_000 });
  const quiet = log.ofSession('quiet');
  const old = await quiet.storeEvent('a', message(1));
  const loud = log.ofSession('loud');
  const ids = [];
  for (let index = 0; index < 20; index += 1) ids.push(await loud.storeEvent('b', message(index, 'x'.repeat(200))));
  expect(await quiet.getStreamIdForEventId?.(old)).toBeUndefined();
  expect(await loud.getStreamIdForEventId?.(ids.at(-1) ?? '')).toBe('b');
});

it('drops by number too, and all of a session that ended', async () => {
  const log = eventLog({ sessionBytes: 1_000_000, sessionEvents: 3, totalBytes: 1_000_000 });
  const store = log.ofSession('s');
  const ids = [];
  for (let index = 0; index < 5; index += 1) ids.push(await store.storeEvent('a', message(index)));
  expect(await Promise.all(ids.map(async (id) => store.getStreamIdForEventId?.(id)))).toEqual([undefined, undefined, 'a', 'a', 'a']);
  log.forget('s');
  expect(await store.getStreamIdForEventId?.(ids.at(-1) ?? '')).toBeUndefined();
});

it('keeps of one session no more than its share, and of the others all', async () => {
  const log = eventLog({ sessionBytes: 1_000, sessionEvents: 100, totalBytes: 1_000_000 });
  const quiet = log.ofSession('quiet');
  const old = await quiet.storeEvent('a', message(1));
  const loud = log.ofSession('loud');
  for (let index = 0; index < 1_000; index += 1) await loud.storeEvent('b', message(index, 'ä'.repeat(100)));
  expect(await quiet.getStreamIdForEventId?.(old)).toBe('a');
  expect(log.size().bytes).toBeLessThan(1_100);
  const large = await loud.storeEvent('b', message(1, 'x'.repeat(5_000)));
  expect(await loud.getStreamIdForEventId?.(large)).toBe('b');
  log.forget('loud');
  log.forget('quiet');
  expect(log.size()).toEqual({ bytes: 0, events: 0 });
});
