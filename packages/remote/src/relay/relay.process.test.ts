import { createHands, defineTool } from '@synapse/hands';
import { CHUNK_BYTES } from '@synapse/protocol/remote';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import * as z from 'zod';
import type { BrowserSocket } from '../brain/brain-options.ts';
import { connectHands } from '../brain/connect-hands.ts';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { sessionUrl } from '../session-url.ts';
import { serveRelay } from './serve-relay.ts';

const HOSTS = ['memory', 'sqlite'] as const;

it.each(HOSTS)('a call goes through a relay (%s), once, and its result comes back whole', async (kind) => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0, ...(kind === 'sqlite' ? { file: join(bench.state, 'relay.sqlite') } : {}) });
  await using connected = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state });
  void connected.stopped;
  await using brain = connectHands(`${relay.url}#desk`);
  const result = await brain.call('count', { text: 'a' }, { callId: 'c1' });
  expect(result).toMatchObject({ ok: true, output: 'a', data: { text: 'a' } });
  // Far beyond one frame, with characters of two bytes at every border.
  const large = await brain.call('count', { text: 'b', size: 400_000 });
  expect(large.ok && large.data).toEqual({ text: 'b'.padEnd(400_000, 'ä') });
  expect(await brain.call('count', { text: 'a' }, { callId: 'c1' })).toMatchObject({ ok: true, output: 'a' });
  expect([...counted(bench.counter)]).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  await using other = connectHands(`${relay.url}#desk`);
  expect(await other.call('count', { text: 'a' }, { callId: 'c1' })).toMatchObject({ ok: true, output: 'a' });
  expect(await other.call('count', { text: 'other' }, { callId: 'c1' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(counted(bench.counter).get('a')).toBe(1);
  expect(await brain.dialect('synapse-readonly').call('read_file', { path: 'nope' })).toMatchObject({
    output: 'Error: File not found',
    isError: true,
  });
  const sdk = await brain.tools('ai-sdk');
  expect(await sdk['count']?.execute({ text: 'sdk' })).toBeDefined();
  expect(counted(bench.counter).get('sdk')).toBe(1);
  expect(await brain.tools('json-schema')).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'read_file' })]));
});

it('a denied call answers as it does at home, and a call can be cancelled', async () => {
  await using bench = await remoteBench(20_000);
  await using relay = await serveRelay({ port: 0 });
  await using connected = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), stateFolder: bench.state });
  void connected.stopped;
  await using brain = connectHands(relay.url, { session: 'desk' });
  const home = await bench.hands.call('write_file', { path: 'x', content: '' });
  const far = await brain.call('write_file', { path: 'x', content: '' });
  expect(far).toMatchObject({ ok: false, error: home.ok ? {} : { code: home.error.code, message: home.error.message } });
  const abort = new AbortController();
  const running = brain.call('count', { text: 'slow' }, { signal: abort.signal });
  await expect.poll(() => counted(bench.counter).get('slow')).toBe(1);
  abort.abort();
  expect(await running).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});

it('a read that waits for the machine ends with the connection', async () => {
  await using relay = await serveRelay({ port: 0 });
  const brain = connectHands(relay.url, { session: 'desk' });
  const waiting = Promise.allSettled([brain.about(), brain.tools('mcp')]);
  await brain[Symbol.asyncDispose]();
  const ended = { status: 'rejected', reason: { code: 'unavailable' } };
  expect(await waiting).toMatchObject([ended, ended]);
  await expect(brain.output('c1')).rejects.toMatchObject({ code: 'unavailable' });
});

it('calls made while the machine is away wait for it', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0, file: join(bench.state, 'relay.sqlite') });
  const url = sessionUrl(relay.url, 'desk');
  await using brain = connectHands(relay.url, { session: 'desk' });
  const early = brain.call('count', { text: 'early' });
  {
    await using first = new ConnectedHands(bench.hands, { url, name: 'desk', stateFolder: bench.state });
    void first.stopped;
    expect(await early).toMatchObject({ ok: true });
  }
  const waiting = brain.call('count', { text: 'waiting' });
  await using second = new ConnectedHands(bench.hands, { url, name: 'desk', stateFolder: bench.state });
  void second.stopped;
  expect(await waiting).toMatchObject({ ok: true });
  expect([...counted(bench.counter).values()]).toEqual([1, 1]);
});

it('another machine that claims the session ends the first one, which does not come back', async () => {
  await using one = await remoteBench();
  await using two = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  const url = sessionUrl(relay.url, 'desk');
  await using first = new ConnectedHands(one.hands, { url, stateFolder: one.state });
  await using brain = connectHands(relay.url, { session: 'desk' });
  expect(await brain.call('count', { text: 'a' })).toMatchObject({ ok: true });
  await using second = new ConnectedHands(two.hands, { url, stateFolder: two.state });
  void second.stopped;
  await first.stopped;
  expect(await brain.call('count', { text: 'b' })).toMatchObject({ ok: true });
  expect([counted(one.counter).size, counted(two.counter).size]).toEqual([1, 1]);
});

it('one process at a time serves a session', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  const options = { url: sessionUrl(relay.url, 'desk'), stateFolder: bench.state };
  await using first = new ConnectedHands(bench.hands, options);
  void first.stopped;
  expect(() => new ConnectedHands(bench.hands, options)).toThrow('already connected');
});

it('a page in a browser gets no word but the reason, and says it instead of trying again', async () => {
  await using relay = await serveRelay({ port: 0 });
  const openSocket = (url: string): BrowserSocket => new WebSocket(url, { origin: 'https://evil.example' });
  await using page = connectHands(relay.url, { session: 'desk', openSocket });
  const statuses: string[] = [];
  page.subscribe((event) => event.type === 'line' && statuses.push(event.status));
  const refused = { code: 'denied', message: expect.stringContaining('Start it with --allow-origin') as string };
  expect(await page.call('count', { text: 'x' })).toMatchObject({ ok: false, error: refused });
  expect(statuses).toEqual(['stopped']);
});

it.each([['a name that was made to point here', { headers: { host: 'evil.example' } }, 421]])('%s gets no connection', async (_, options, status) => {
  await using relay = await serveRelay({ port: 0 });
  const socket = new WebSocket(sessionUrl(relay.url, 'desk'), options);
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toContain(String(status));
});

it.each([
  ['not JSON', 'x', 4400],
  ['a call before hello', '{"type":"tool_call","tool":"x","id":"1"}', 4400],
  ['another version', '{"type":"hello","v":9,"role":"brain","inst":"i","epoch":0,"credit":{"frames":1,"bytes":1}}', 4010],
  ['a frame beyond the limit', `"${'x'.repeat(300_000)}"`, 4413],
  ['deep nesting', '['.repeat(100_000), 4400],
])('%s is closed with its code', async (_, text, code) => {
  await using relay = await serveRelay({ port: 0 });
  const socket = new WebSocket(sessionUrl(relay.url, 'desk'));
  await once(socket, 'message');
  socket.send(text);
  const [closed] = (await once(socket, 'close')) as [number];
  expect(closed).toBe(code);
});

it('a result and an output come back whole, whatever characters are at the borders of their chunks', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  // At the end of the chunks that are asked for together, and byte order marks at the beginning of every chunk.
  const output = `${'x'.repeat(16 * CHUNK_BYTES - 1)}ä${'\uFEFF'.repeat(20_000)}`;
  const chatty = defineTool({
    name: 'chatty',
    title: 'Chatty',
    description: 'Prints a text.',
    effects: 'read',
    input: z.strictObject({}),
    output: z.strictObject({ marks: z.string() }),
    permission: () => [],
    timeoutMs: 30_000,
    keep: 'head',
    summarize: () => 'chatty',
    execute: (_input, ctx) => {
      ctx.progress({ output });
      return Promise.resolve({ data: { marks: '\uFEFF'.repeat(50_000) }, content: 'done' });
    },
  });
  await using hands = await createHands({
    workspace: bench.folder,
    stateFolder: join(bench.state, 'chatty'),
    configFolder: bench.state,
    tools: [chatty],
  });
  await using connected = new ConnectedHands(hands, { url: sessionUrl(relay.url, 'desk'), stateFolder: bench.state });
  void connected.stopped;
  await using brain = connectHands(relay.url, { session: 'desk' });
  const result = await brain.call('chatty', {}, { callId: 'chatty' });
  expect(result.ok && result.data).toEqual({ marks: '\uFEFF'.repeat(50_000) });
  expect((await brain.output('chatty')) === output).toBe(true);
});

it('a call that no frame can carry is refused here: it would end the connection, again and again', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  await using connected = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state });
  void connected.stopped;
  await using brain = connectHands(`${relay.url}#desk`);
  const lines: string[] = [];
  brain.subscribe((event) => event.type === 'line' && lines.push(event.text));
  const count = { text: 'a' };
  for (const callId of ['', 'x'.repeat(161), 'base:1']) {
    expect(await brain.call('count', count, { callId })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', hint: expect.any(String) as string },
    });
  }
  for (const tool of ['', 'x'.repeat(161)]) expect(await brain.call(tool, {})).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  for (const dialect of ['', 'x'.repeat(161), 'nope']) {
    expect(await brain.dialect(dialect).call('read_file', {})).toMatchObject({ isError: true, result: { error: { code: 'invalid_arguments' } } });
  }
  for (const from of [-1, 0.5, Number.NaN]) await expect(brain.output('a', { from })).rejects.toMatchObject({ code: 'invalid_arguments' });
  await expect(brain.output('x'.repeat(161))).rejects.toMatchObject({ code: 'invalid_arguments' });
  // Local hands take all these times.
  for (const timeoutMs of [30_000.5, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
    expect(await brain.call('count', count, { timeoutMs, queueMs: 30_000.5 })).toMatchObject({ meta: { tool: 'count' } });
  }
  expect(lines).not.toContainEqual(expect.stringContaining('could not be read'));
});
