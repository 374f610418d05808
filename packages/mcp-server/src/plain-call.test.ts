import { expect, it } from 'vitest';
import { isPlainCall } from './plain-call.ts';

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
