import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { directCalls, type DirectAnswers } from './direct-calls.ts';
import type { LineTransport } from './line-transport.ts';
import { RpcError } from './rpc-error.ts';

const call = (id: string | number, params: object = {}): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'x', ...params },
});
const cancel = (requestId: string | number): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** A wire that keeps what was sent, and what was handed on. */
function session(answer: DirectAnswers['call'], isReady = true) {
  const sent: JSONRPCMessage[] = [];
  const handedOn: JSONRPCMessage[] = [];
  const wire: LineTransport = {
    closed: Promise.resolve(),
    start: async () => {},
    close: async () => wire.onclose?.(),
    send: async (message) => void sent.push(message),
  };
  const failures: Error[] = [];
  const transport = directCalls(wire, { isReady: () => isReady, call: answer }, (error) => void failures.push(error));
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => void handedOn.push(message) });
  return { wire, transport, sent, handedOn, failures, receive: (message: JSONRPCMessage) => wire.onmessage?.(message) };
}

it('answers a call, and hands on what is none', async () => {
  const { receive, sent, handedOn } = session(async ({ name }) => ({ content: name }));
  receive(call(1));
  receive({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  await setImmediate();
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: 'x' } }]);
  expect(handedOn).toEqual([{ jsonrpc: '2.0', id: 2, method: 'tools/list' }]);
});

it('answers a ping, and hands on one that says more', async () => {
  const { receive, sent, handedOn } = session(async () => ({}));
  const odd: JSONRPCMessage = { jsonrpc: '2.0', id: 2, method: 'ping', params: { _meta: {} } };
  receive({ jsonrpc: '2.0', id: 1, method: 'ping' });
  receive(odd);
  await setImmediate();
  expect({ sent, handedOn }).toEqual({ sent: [{ jsonrpc: '2.0', id: 1, result: {} }], handedOn: [odd] });
});

it('hands on everything until the client has said who it is', () => {
  const { receive, sent, handedOn } = session(async () => ({}), false);
  const ping: JSONRPCMessage = { jsonrpc: '2.0', id: 2, method: 'ping' };
  receive(call(1));
  receive(ping);
  expect({ sent, handedOn }).toEqual({ sent: [], handedOn: [call(1), ping] });
});

it.each<[string, Error, object]>([
  [
    'an error of the protocol',
    new RpcError(-32602, 'No such tool.', { code: 'unknown_tool' }),
    { code: -32602, message: 'No such tool.', data: { code: 'unknown_tool' } },
  ],
  ['an error that nobody foresaw, without its words', new Error('/home/secret'), { code: -32603, message: 'Internal error' }],
])('answers with %s', async (_, thrown, error) => {
  const { receive, sent } = session(() => Promise.reject(thrown));
  receive(call(1));
  await setImmediate();
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
});

/** Calls that last until they are aborted or ended by hand. */
function lasting() {
  const calls: { signal: AbortSignal; end: () => void }[] = [];
  const answer: DirectAnswers['call'] = (_, { signal }) =>
    new Promise((resolve) => void calls.push({ signal, end: () => resolve({ content: calls.length }) }));
  return { calls, ...session(answer) };
}

it('aborts a call that is cancelled, and no other one, and does not answer it', async () => {
  const { calls, receive, sent, handedOn } = lasting();
  for (const id of [1, '1', 2]) receive(call(id));
  receive(cancel(1));
  receive(cancel(9));
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  for (const { end } of calls) end();
  await setImmediate();
  expect(sent.map((message) => 'id' in message && message.id)).toEqual(['1', 2]);
  // A cancellation of a call of the SDK is the SDK's.
  expect(handedOn).toEqual([cancel(9)]);
});

it('can cancel the second of two calls with one id, once the first has ended', async () => {
  const { calls, receive } = lasting();
  receive(call(1));
  receive(call(1));
  calls[0]?.end();
  await setImmediate();
  receive(cancel(1));
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([false, true]);
});

it('aborts what runs when the connection ends', async () => {
  const { calls, receive, transport } = lasting();
  receive(call(1));
  await transport.close();
  expect(calls[0]?.signal.aborted).toBe(true);
});

it('tells of progress where that was asked for', async () => {
  const { receive, sent } = session(async (_, { report }) => {
    await report?.({ progress: 1 });
    return { content: report === undefined };
  });
  receive(call(1, { _meta: { progressToken: 'p' } }));
  await setImmediate();
  receive(call(2));
  await setImmediate();
  expect(sent).toEqual([
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
    { jsonrpc: '2.0', id: 1, result: { content: false } },
    { jsonrpc: '2.0', id: 2, result: { content: true } },
  ]);
});

it('says so where an answer cannot be sent', async () => {
  const { wire, receive, failures } = session(async () => ({}));
  wire.send = () => Promise.reject(new Error('gone'));
  receive(call(1));
  await setImmediate();
  expect(failures).toEqual([new Error('gone')]);
});
