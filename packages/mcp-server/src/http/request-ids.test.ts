import { expect, it } from 'vitest';
import { RequestIds } from './request-ids.ts';

const request = (id: unknown): object => ({ jsonrpc: '2.0', id, method: 'tools/call' });

it('knows what is waited for, and a number from a text', () => {
  const ids = new RequestIds();
  expect([1, '1', 2].map((id) => ids.take(request(id)))).toEqual([undefined, undefined, undefined]);
  expect(ids.take(request(1))).toBe(1);
  ids.release({ jsonrpc: '2.0', id: 1, result: {} });
  expect(ids.take(request(1))).toBeUndefined();
  expect(ids.take(request('1'))).toBe('1');
});

it('notes all of a list or none of it', () => {
  const ids = new RequestIds();
  expect(ids.take([request(1), request(2), request(1)])).toBe(1);
  expect(ids.take(request(2))).toBeUndefined();
});

it('waits for nothing that was cancelled', () => {
  const ids = new RequestIds();
  ids.take(request(1));
  ids.take({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(ids.take(request(1))).toBeUndefined();
});

it.each([null, undefined, 42, 'x', [], {}, { id: 1 }, { id: {}, method: 'x' }, { method: 'notifications/cancelled', params: null }])(
  'takes %j as no request',
  (body) => {
    const ids = new RequestIds();
    expect(ids.take(body)).toBeUndefined();
    expect(ids.take(request(1))).toBeUndefined();
  },
);
