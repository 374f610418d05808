import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Reply {
  id?: unknown;
  result?: { content?: { text: string }[]; isError?: boolean };
  error?: { code: number; message: string };
}

let server: ReturnType<typeof spawn>;
let replies: AsyncIterator<string>;
let exchange: (line: string) => Promise<Reply[]>;
let lastId = 1_000;

/** Sends a line, then a call that is known to work, and gives every reply up to that call's own. */
async function converse(line: string): Promise<Reply[]> {
  const id = (lastId += 1);
  server.stdin?.write(`${line}\n${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'counting' } })}\n`);
  const heard: Reply[] = [];
  for (;;) {
    const { value, done } = await replies.next();
    if (done === true) throw new Error(`The server ended after ${line.slice(0, 80)}`);
    // Whatever is on stdout is protocol: a line that is no JSON fails here.
    const reply = JSON.parse(value) as Reply;
    if (reply.id === id) {
      expect(reply.result?.content).toEqual([{ type: 'text', text: 'counted' }]);
      return heard;
    }
    heard.push(reply);
  }
}

beforeAll(async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const state = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  const script = join(import.meta.dirname, 'fixtures', 'serve.ts');
  server = spawn(process.execPath, ['--conditions=synapse-source', script, workspace, state], { stdio: ['pipe', 'pipe', 'inherit'] });
  if (server.stdout === null) throw new Error('no stdout');
  replies = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  exchange = converse;
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
  await converse(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }));
});

afterAll(() => void server.kill());

const call = (params: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

it.each<[string, string, object]>([
  ['no JSON', 'hello', { id: null, error: { code: -32700 } }],
  ['half a message', '{"jsonrpc":"2.0","id":7', { id: null, error: { code: -32700 } }],
  ['control characters', '\u0000\u001b[2J', { id: null, error: { code: -32700 } }],
  ['a batch', `[${call({ name: 'counting' })}]`, { id: null, error: { code: -32600 } }],
  ['an empty batch', '[]', { id: null, error: { code: -32600 } }],
  ['100,000 brackets', deep(50_000), { id: null }],
  ['a bare value', '42', { id: null, error: { code: -32600 } }],
  ['no method', '{"jsonrpc":"2.0","id":7}', { id: 7, error: { code: -32600 } }],
  ['an unknown method', '{"jsonrpc":"2.0","id":7,"method":"tools/destroy"}', { id: 7, error: { code: -32601 } }],
  ['a method of a prototype', '{"jsonrpc":"2.0","id":7,"method":"__proto__"}', { id: 7, error: { code: -32601 } }],
  ['a method that is not offered', '{"jsonrpc":"2.0","id":7,"method":"resources/list"}', { id: 7, error: { code: -32601 } }],
  ['no name', call({}), { id: 7, error: { code: -32602 } }],
  ['a name that is a list', call({ name: ['read_file'] }), { id: 7, error: { code: -32602 } }],
  ['an unknown tool', call({ name: 'constructor' }), { id: 7, error: { code: -32602 } }],
  ['a name of a megabyte', call({ name: 'x'.repeat(1_000_000) }), { id: 7, error: { code: -32602 } }],
  [
    'arguments 10,000 deep',
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"path":${deep(10_000)}}}}`,
    { id: 7, result: { isError: true } },
  ],
  ['arguments that are a list', call({ name: 'read_file', arguments: [1] }), { id: 7, result: { isError: true } }],
  ['arguments that are a number', call({ name: 'read_file', arguments: 5 }), { id: 7, result: { isError: true } }],
  ['a NUL in a path', call({ name: 'read_file', arguments: { path: 'a\0b' } }), { id: 7, result: { isError: true } }],
  ['a lone surrogate', call({ name: 'read_file', arguments: { path: '\ud800' } }), { id: 7, result: { isError: true } }],
  ['10 MB of path', call({ name: 'read_file', arguments: { path: 'x'.repeat(10_000_000) } }), { id: 7, result: { isError: true } }],
  [
    '__proto__',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"__proto__":{"path":"a"}}}}',
    { id: 7, result: { isError: true } },
  ],
  ['a line of 40 MB', call({ name: 'read_file', arguments: { path: 'x'.repeat(40_000_000) } }), { id: 7, error: { code: -32600 } }],
  ['a broken progress token', call({ name: 'counting', _meta: { progressToken: {} } }), { id: 7, error: { code: -32600 } }],
  ['a second initialize of nonsense', '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}', { id: 7, error: {} }],
])('answers %s, and the next call', async (_, line, expected) => {
  const id = (lastId += 1);
  const heard = await exchange(line.replace('"id":7', `"id":${id}`));
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatchObject('id' in expected && expected.id === 7 ? { ...expected, id } : expected);
});

it('takes each id once', async () => {
  const used = JSON.stringify({ jsonrpc: '2.0', id: 'once', method: 'ping' });
  expect(await exchange(used)).toMatchObject([{ id: 'once', result: {} }]);
  expect(await exchange(used)).toMatchObject([{ id: 'once', error: { code: -32600 } }]);
});

it.each([
  ['an empty line', ''],
  ['a line end of another system', '\r'],
  ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/whatever"}'],
  ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}'],
  ['a cancellation without an id', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}'],
  ['a response that nobody asked for', '{"jsonrpc":"2.0","id":5,"result":{}}'],
])('lets %s pass, and answers the next call', async (_, line) => {
  expect(await exchange(line)).toEqual([]);
});

it('answers a thousand calls at once', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) =>
    JSON.stringify({ jsonrpc: '2.0', id: 10_000 + index, method: 'tools/call', params: { name: 'picture' } }),
  );
  const heard = await exchange(lines.join('\n'));
  expect(new Set(heard.map(({ id }) => id)).size).toBe(1_000);
});

it('answers what was asked before its input ended, then ends by itself', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `last-${index}`);
  server.stdin?.end(ids.map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'counting' } })}\n`).join(''));
  const heard: unknown[] = [];
  for (let reply = await replies.next(); reply.done !== true; reply = await replies.next()) heard.push((JSON.parse(reply.value) as Reply).id);
  expect(new Set(heard)).toEqual(new Set(ids));
  if (server.exitCode === null) await once(server, 'exit');
  expect(server.exitCode).toBe(0);
});
