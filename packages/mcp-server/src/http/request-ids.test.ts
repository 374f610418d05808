import { expect, it } from 'vitest';
import { RequestIds } from './request-ids.ts';

const request = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'tools/call' });

it('knows what was used, and a number from a text', () => {
  const ids = new RequestIds();
  expect([1, '1', 2, 9, 3, -1, 0.5].map((id) => ids.take(request(id)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([1, '1', 2, 9, 3, -1, 0.5].map((id) => ids.take(request(id)))).toEqual([1, '1', 2, 9, 3, -1, 0.5]);
  expect([4, 0].map((id) => ids.take(request(id)))).toEqual([undefined, undefined]);
});

it('forgets what was refused before it began', () => {
  const ids = new RequestIds();
  for (const id of [1, 2, 'a']) {
    ids.take(request(id));
    ids.release(request(id));
    expect(ids.take(request(id))).toBeUndefined();
  }
});

it('costs nothing for a client that counts', () => {
  const ids = new RequestIds();
  for (let id = 1; id <= 100_000; id += 1) expect(ids.take(request(id))).toBeUndefined();
  expect(ids.take(request(1))).toBe(1);
});

it('notes all of a list or none of it', () => {
  const ids = new RequestIds();
  expect(ids.take([request(1), request(2), request(1)])).toBe(1);
  expect(ids.take(request(2))).toBeUndefined();
});

it.each([null, undefined, 42, 'x', [], {}, { id: 1 }, { id: {}, method: 'x' }, { method: 'notifications/cancelled', params: null }])(
  'takes %j as no request',
  (body) => {
    const ids = new RequestIds();
    expect(ids.take(body)).toBeUndefined();
    expect(ids.take(request(1))).toBeUndefined();
  },
);
