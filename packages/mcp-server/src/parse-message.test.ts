import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { isPlainCall, parseMessage, refuseTooLong, RequestIds } from './parse-message.ts';

const accepts = (value: unknown): value is JSONRPCMessage => isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);

it.each<[string, number | string | null, number]>([
  ['', null, -32700],
  ['{', null, -32700],
  ['{"a":1}{"b":2}', null, -32700],
  ['[]', null, -32600],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
  ['null', null, -32600],
  ['5', null, -32600],
  ['"ping"', null, -32600],
  ['{}', null, -32600],
  ['{"id":1,"method":"ping"}', 1, -32600],
  ['{"jsonrpc":"1.0","id":"a","method":"ping"}', 'a', -32600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":3,"method":7}', 3, -32600],
  ['{"jsonrpc":"2.0","id":3}', 3, -32600],
  ['{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1]}', 4, -32600],
  ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{"progressToken":{}}}}', 5, -32600],
])('%s is refused', (line, id, code) => {
  expect(parseMessage(line, accepts)).toMatchObject({ refusal: { id, code } });
});

it.each([
  '{"jsonrpc":"2.0","id":0,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":"x","result":{}}',
  '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x","arguments":"raw"}}',
  `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x","arguments":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
  '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"__proto__":{"polluted":true}}}',
])('%.80s is a message', (line) => {
  expect(parseMessage(line, accepts)).toHaveProperty('message');
  expect({}).not.toHaveProperty('polluted');
});

it.each([
  ['{"jsonrpc":"2.0","id":12,"method":', '}}', 12],
  ['{"id":"a-b","method":', '}}', 'a-b'],
  ['{"method":"x","params":{"id":3,', '"y":1},"jsonrpc":"2.0","id":7}', 7],
  ['{"method":"x","params":{', '"id":3}}', null],
  ['xxxx', 'xxxx', null],
])('a message too long, %s … %s, is answered to %s', (head, tail, id) => {
  expect(refuseTooLong(head, tail, 100)).toMatchObject({ id, code: -32600 });
});

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_file', arguments: { path: 'a' } } };
const withParams = (more: object): object => ({ ...call, params: { ...call.params, ...more } });

it.each<[string, object]>([
  ['a call', call],
  ['no arguments', { ...call, params: { name: 'x' } }],
  ['arguments of a wrong kind, which the pipeline judges', withParams({ arguments: 5 })],
  ['an id that is a text', { ...call, id: '1' }],
  ['an empty _meta', withParams({ _meta: {} })],
  ['a progress token', withParams({ _meta: { progressToken: 'p' } })],
])('is %s', (_, message) => {
  expect(isPlainCall(message)).toBe(true);
});

it.each<[string, unknown]>([
  ['nothing', null],
  ['a list', [call]],
  ['another method', { ...call, method: 'tools/list' }],
  ['another version', { ...call, jsonrpc: '1.0' }],
  ['a notification', { jsonrpc: '2.0', method: 'tools/call', params: call.params }],
  ['an id of null', { ...call, id: null }],
  ['an id with a fraction', { ...call, id: 1.5 }],
  ['a field too many', { ...call, result: {} }],
  ['no params', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
  ['params that are a list', { ...call, params: [] }],
  ['no name', { ...call, params: {} }],
  ['a name that is no text', withParams({ name: ['read_file'] })],
  ['an answer to a question', withParams({ inputResponses: {} })],
  ['a task', withParams({ task: {} })],
  ['a _meta that is a list', withParams({ _meta: [] })],
  ['a progress token that is an object', withParams({ _meta: { progressToken: {} } })],
  ['the envelope of the 2026 protocol', withParams({ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } })],
])('is not %s', (_, message) => {
  expect(isPlainCall(message)).toBe(false);
});

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
