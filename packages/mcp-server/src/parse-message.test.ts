import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { parseMessage, refuseTooLong } from './parse-message.ts';

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
