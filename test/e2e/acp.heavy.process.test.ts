import { client, methods, ndJsonStream, PROTOCOL_VERSION, type McpServer, type SessionUpdate } from '@agentclientprotocol/sdk';
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { realServer, startHttp } from '../../packages/hands/src/mcp-client/fixtures/real-server.ts';
import { startChatServer, type Scripted } from '../agent/scripted-chat.ts';
import { pipesOf, rawAgent, request } from './acp-agent.ts';
import { makePlace, outcome, startCli, type Place } from './run-cli.ts';

const EDIT: Scripted = {
  kind: 'calls',
  calls: [{ id: '1', name: 'edit_file', input: JSON.stringify({ path: 'a.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] }) }],
};
const FILES = { 'a.txt': 'one\ntwo\n' };

const INITIALIZE = request(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });

it("works over stdio with the SDK's client", async () => {
  const place = await makePlace(FILES);
  await using server = await startChatServer((_, index) => (index === 0 ? EDIT : { kind: 'text', text: 'It is done.' }));
  const child = startCli(place, ['acp', '--model', 'scripted', '--base-url', server.url]);
  const { stdin, stdout } = pipesOf(child);
  const ended = once(child, 'close');
  const updates: SessionUpdate[] = [];
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, () => ({ outcome: { outcome: 'selected', optionId: 'once' } }))
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout)));
  const { agent } = connection;
  const initialized = await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  expect(initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'synapse' }, agentCapabilities: { loadSession: true } });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers: [] });
  const prompt = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'Translate' }] });
  expect(prompt.stopReason).toBe('end_turn');
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\nzwei\n');
  expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual(expect.arrayContaining(['tool_call', 'tool_call_update', 'agent_message_chunk']));
  stdin.end();
  expect((await ended)[0]).toBe(0);
});

/** Connects the SDK's client, which allows every call once. */
function editor(place: Place, url: string) {
  const child = startCli(place, ['acp', '--model', 'scripted', '--base-url', url]);
  const { stdin, stdout } = pipesOf(child);
  const updates: SessionUpdate[] = [];
  const { agent } = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, () => ({ outcome: { outcome: 'selected', optionId: 'once' } }))
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout)));
  return { agent, updates, ended: once(child, 'close'), end: () => void stdin.end() };
}

it.each([
  ['http', 'streamableHttp', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const)('opens an MCP server that the editor passes on: %s', async (type, mode, path) => {
  await using far = await startHttp([realServer('server-everything'), mode]);
  const call: Scripted = { kind: 'calls', calls: [{ id: '1', name: 'mcp__far__echo', input: '{"message":"over there"}' }] };
  await using server = await startChatServer((_, index) => (index === 0 ? call : { kind: 'text', text: 'Done.' }));
  const place = await makePlace(FILES);
  const at = editor(place, server.url);
  await at.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const passed = { name: 'far', url: `${far.origin}${path}`, headers: [{ name: 'x-editor', value: '${HOME}' }] };
  const mcpServers: McpServer[] = [type === 'http' ? { type: 'http', ...passed } : { type: 'sse', ...passed }];
  const { sessionId } = await at.agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers });
  const { stopReason } = await at.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'Call it' }] });
  expect([stopReason, JSON.stringify(at.updates)]).toEqual(['end_turn', expect.stringContaining('Echo: over there')]);
  at.end();
  expect((await at.ended)[0]).toBe(0);
});

it('ends a running command when the editor cancels', async () => {
  const run: Scripted = { kind: 'calls', calls: [{ id: '1', name: 'run_command', input: '{"command":"touch begun; sleep 300","live":true}' }] };
  await using server = await startChatServer(() => run);
  const place = await makePlace(FILES);
  const at = editor(place, server.url);
  await at.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await at.agent.request(methods.agent.session.new, { cwd: place.folder, mcpServers: [] });
  const prompt = at.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'Run it' }] });
  await vi.waitFor(() => expect(existsSync(join(place.folder, 'begun'))).toBe(true), { timeout: 60_000 });
  await at.agent.notify(methods.agent.session.cancel, { sessionId });
  expect((await prompt).stopReason).toBe('cancelled');
  expect(server.requests).toHaveLength(1);
  at.end();
  expect((await at.ended)[0]).toBe(0);
});

it('answers garbage with an error, and goes on', async () => {
  const at = rawAgent(await makePlace(FILES));
  at.write('{"jsonrpc":"2.0","id":7,\n');
  expect(await at.next()).toMatchObject({ id: null, error: { code: -32_700 } });
  at.write('[1]\n');
  expect(await at.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  at.write(request(2, 'session/new', { cwd: '/', mcpServers: [] }));
  expect(await at.next()).toMatchObject({ id: 2, error: {} });
  at.write(INITIALIZE);
  expect(await at.next()).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  at.write(request(3, 'session/fly', {}));
  expect(await at.next()).toMatchObject({ id: 3, error: { code: -32_601 } });
  at.write(request(4, 'session/new', { cwd: 7 }));
  expect(await at.next()).toMatchObject({ id: 4, error: { code: -32_602 } });
  at.write(request(5, 'session/new', { cwd: '/nowhere', mcpServers: [] }));
  expect(JSON.stringify(await at.next())).toContain('synapse projects add /nowhere');
  at.end();
  expect((await at.ended)[0]).toBe(0);
});

it.each<[string, string]>([
  ['in the middle of a message', INITIALIZE.slice(0, 30)],
  ['at once', ''],
])('ends when a client stops %s', async (_, sent) => {
  const at = rawAgent(await makePlace(FILES));
  at.write(sent);
  at.end();
  await at.next();
  expect((await at.ended)[0]).toBe(0);
});

it('ends at a line that is too long', async () => {
  const at = rawAgent(await makePlace(FILES));
  at.write(INITIALIZE);
  expect(await at.next()).toMatchObject({ id: 1 });
  const piece = 'x'.repeat(1024 * 1024);
  const told = at.child.stderr === null ? Promise.resolve('') : text(at.child.stderr);
  for (let megabytes = 0; megabytes < 34; megabytes += 1) at.write(piece);
  expect((await at.ended)[0]).toBe(1);
  expect(await told).toContain('The editor sent a message of more than 33554432 bytes');
});

/** A model whose answer never ends: a piece of text every few milliseconds. */
async function startTalker(): Promise<AsyncDisposable & { readonly url: string; readonly listeners: () => number }> {
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = {
      id: '1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }],
    };
    const timer = setInterval(() => response.write(`data: ${JSON.stringify(chunk)}\n\n`), 5);
    timers.add(timer);
    response.on('close', () => {
      clearInterval(timer);
      timers.delete(timer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    listeners: () => timers.size,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Opens a session, sends a prompt, and reads until a message contains a text. */
async function prompted(place: Place, url: string, words: readonly string[], until: string, fs = {}) {
  const at = rawAgent(place, ['--base-url', url, ...words]);
  at.write(request(1, 'initialize', { protocolVersion: 1, clientCapabilities: { fs } }));
  await at.next();
  at.write(request(2, 'session/new', { cwd: place.folder, mcpServers: [] }));
  const { result } = (await at.next()) as { result: { sessionId: string } };
  at.write(request(3, 'session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text: 'Translate' }] }));
  for (;;) {
    const message = JSON.stringify(await at.next());
    if (message === undefined) throw new Error(`The agent did not say ${until}.`);
    if (message.includes(until)) return at;
  }
}

/** What an editor that dies does to an agent: nothing reads its output any more, and its input ends. */
function die({ child, end }: Awaited<ReturnType<typeof prompted>>): void {
  child.stdout?.destroy();
  end();
}

describe('an editor that dies', () => {
  it('during a question has denied it', async () => {
    const place = await makePlace(FILES);
    await using server = await startChatServer(() => EDIT);
    const at = await prompted(place, server.url, [], 'session/request_permission');
    die(at);
    await at.ended;
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
  });

  it('during an answer that streams ends the model', async () => {
    const place = await makePlace(FILES);
    await using talker = await startTalker();
    const at = await prompted(place, talker.url, [], 'agent_message_chunk');
    expect(talker.listeners()).toBe(1);
    die(at);
    await at.ended;
    await expect.poll(talker.listeners).toBe(0);
  });

  it.each([
    ['a command', { live: true }],
    ['a command on a copy', {}],
    ['a job', { background: true }],
  ])('while %s runs ends it, with all that it started', async (_, how) => {
    const marker = `601.${randomInt(1_000_000, 9_999_999)}`;
    const running = (): boolean => spawnSync('pgrep', ['-f', `^sleep ${marker}`]).status === 0;
    const place = await makePlace(FILES);
    const input = JSON.stringify({ command: `touch begun; (setsid sleep ${marker} &); sleep ${marker}`, ...how });
    await using server = await startChatServer((__, index) =>
      // A job outlives its call: the model says something while it runs.
      index === 0 ? { kind: 'calls', calls: [{ id: '1', name: 'run_command', input }] } : new Promise<never>(() => {}),
    );
    const at = await prompted(place, server.url, ['--allow', 'exec,write'], 'sleep');
    await vi.waitFor(() => expect(running()).toBe(true), { timeout: 60_000 });
    die(at);
    await at.ended;
    await vi.waitFor(() => expect(running()).toBe(false), { timeout: 60_000 });
  });

  it.each(['fs/read_text_file', 'fs/write_text_file'])('while it owes an answer to %s leaves the file', async (method) => {
    const place = await makePlace(FILES);
    await using server = await startChatServer(() => EDIT);
    const at = rawAgent(place, ['--base-url', server.url, '--allow', 'write']);
    at.write(request(1, 'initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } } }));
    await at.next();
    at.write(request(2, 'session/new', { cwd: place.folder, mcpServers: [] }));
    const { result } = (await at.next()) as { result: { sessionId: string } };
    at.write(request(3, 'session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text: 'Translate' }] }));
    for (;;) {
      const message = (await at.next()) as { id?: number; method?: string } | undefined;
      if (message === undefined) throw new Error(`The agent did not ask ${method}.`);
      if (message.method === method) break;
      if (message.method === 'fs/read_text_file')
        at.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: 'one\ntwo\ntyped\n' } })}\n`);
    }
    die(at);
    await at.ended;
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe(FILES['a.txt']);
  });
});

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [99, 2],
])('with a client that asks for version %i it speaks %i', async (protocolVersion, spoken) => {
  const at = rawAgent(await makePlace(FILES));
  // Version 2 names the client, and what it can do, in other fields.
  const named = protocolVersion > 1 ? { info: { name: 'client', version: '1' }, capabilities: {} } : { clientCapabilities: {} };
  at.write(request(1, 'initialize', { protocolVersion, ...named }));
  expect(await at.next()).toMatchObject({ id: 1, result: { protocolVersion: spoken } });
  at.end();
  expect((await at.ended)[0]).toBe(0);
});

it('says on the command line what is missing', async () => {
  const place = await makePlace(FILES);
  const { code, err } = await outcome(startCli(place, ['acp', '--mode', 'careless']));
  expect([code, err]).toEqual([2, expect.stringContaining('read-only, ask, auto-edit, trusted')]);
});
