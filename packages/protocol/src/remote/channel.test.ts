import { expect, it } from 'vitest';
import { acknowledge, begin, send, type Channel } from './channel.ts';

const EVERYTHING = { frames: 1_000_000_000, bytes: 1_000_000_000_000 };

function sendMany(channel: Channel, count: number, output = 'x'): readonly [channel: Channel, sent: number] {
  let [state, sent] = [channel, 0];
  for (let index = 0; index < count; index += 1) {
    const [next, texts] = send(state, { type: 'tool_progress', tool_call_id: 'a', off: index, data: output });
    state = next;
    sent += texts.length;
  }
  return [state, sent];
}

it('a party that promises once to take everything, and then only acknowledges, gets everything', () => {
  let [channel, sent] = sendMany(begin(EVERYTHING), 1_000);
  // One window at a time: what is not acknowledged is kept.
  expect(sent).toBe(64);
  for (let rounds = 0; rounds < 100 && sent < 1_000; rounds += 1) {
    const [next, texts] = acknowledge(channel, sent);
    channel = next;
    sent += texts.length;
    expect(channel.unacked.length).toBeLessThanOrEqual(64);
  }
  expect(sent).toBe(1_000);
});

it('what is kept for a party that acknowledges nothing stays below a megabyte, whatever it promises', () => {
  const [channel, sent] = sendMany(begin(EVERYTHING), 60, 'x'.repeat(30_000));
  expect(sent).toBe(Math.floor(1_048_576 / 30_100));
  const [, texts] = acknowledge(channel, 0, { frames: 2_000_000_000, bytes: 2_000_000_000_000 });
  expect(texts).toEqual([]);
});

it('credit below one window counts as it is', () => {
  const [channel, sent] = sendMany(begin({ frames: 3, bytes: 1_000_000 }), 10);
  expect(sent).toBe(3);
  expect(acknowledge(channel, 3)[1]).toEqual([]);
  expect(acknowledge(channel, 3, { frames: 5, bytes: 1_000_000 })[1]).toHaveLength(2);
});
