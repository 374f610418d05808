import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { Hands } from '@synapse/hands';
import { queryAudit } from '@synapse/hands/internal';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openHttpPlace } from '../fixtures/http-place.ts';
import { rawClient, until } from '../fixtures/raw-client.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const WAIT = { timeout: 60_000, interval: 20 };

let workspace: string;
let state: string;
let hands: Hands;
let url: URL;
let stop: () => Promise<void>;
const { post, begin } = rawClient(() => url, TOKEN);

beforeAll(async () => {
  ({ workspace, state, hands, url, stop } = await openHttpPlace(TOKEN));
});
afterAll(async () => {
  await stop();
  await hands[Symbol.asyncDispose]();
});
beforeEach(() => rm(join(state, 'slow-ended'), { force: true }));

async function connect(
  mode: VersionNegotiationMode,
  capabilities: object = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode }, capabilities });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, transport };
}

const write = { name: 'write_file', arguments: { path: 'b.txt', content: 'new\n' } };

it.each([
  ['unknown/method', {}, 404],
  ['logging/setLevel', { level: 'info' }, 404],
  ['tools/list', {}, 200],
  ['server/discover', {}, 200],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'synapse://audit/newest/{count}' }, argument: { name: 'count', value: '5' } }, 200],
] as const)('answers %s of 2026-07-28 with a status of its own', async (method, params, status) => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
  );
  expect(response.status).toBe(status);
  const answer: unknown = await response.json();
  expect(answer).toMatchObject(status === 404 ? { id: 1, error: { code: -32_601 } } : { id: 1, result: {} });
});

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s', (_, mode) => {
  it('lists the tools, and reads', async () => {
    const { client } = await connect(mode);
    await writeFile(join(workspace, 'a.txt'), 'hello\n');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_file');
    const result = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
    expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/^\[lines 1-1 of 1; version \w+\.\]\nhello\n$/u) as string }] });
    expect(result).toHaveProperty('structuredContent');
  });

  it('completes what is in a template, and no handles of others', async () => {
    const { client } = await connect(mode);
    const complete = (uri: string, name: string, value: string) => client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } });
    expect(await complete('synapse://audit/newest/{count}', 'count', '5')).toMatchObject({ completion: { values: ['50', '500'], total: 2 } });
    expect(await complete('synapse://spills/{id}', 'id', '')).toMatchObject({ completion: { values: [] } });
    await expect(complete('synapse://none/{id}', 'id', '')).rejects.toMatchObject({ code: -32_602 });
  });

  it('hears of progress', async () => {
    const { client } = await connect(mode);
    await vi.waitFor(async () => {
      const heard: unknown[] = [];
      await client.callTool({ name: 'counting' }, { onprogress: (progress) => void heard.push(progress) });
      expect(heard[0]).toMatchObject({ progress: 1, total: 1_000 });
    }, WAIT);
  });

  it('can cancel a call', async () => {
    const { client } = await connect(mode);
    const controller = new AbortController();
    const call = client.callTool({ name: 'slow' }, { signal: controller.signal, onprogress: () => controller.abort('enough') });
    await expect(call).rejects.toThrow('enough');
    await vi.waitFor(() => expect(existsSync(join(state, 'slow-ended'))).toBe(true), WAIT);
  });

  it('gets our error for a path that does not exist', async () => {
    const { client } = await connect(mode);
    await expect(client.callTool({ name: 'read_fil' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Did you mean') as string,
    });
    await expect(client.readResource({ uri: 'synapse://nothing' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: 'gret' })).rejects.toThrow('Did you mean greet?');
    await expect(client.getPrompt({ name: 'greet' })).rejects.toThrow('needs who');
  });

  it('gets prompts', async () => {
    const { client } = await connect(mode);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'greet', arguments: [{ name: 'who', required: true }] }]);
    const prompt = await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } });
    expect(prompt.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }]);
  });

  it('reads the audit log, with the calls of this project and a session of its own', async () => {
    const { client } = await connect(mode);
    await client.callTool({ name: 'read_file', arguments: { path: `mark-${mode === 'legacy'}.txt` } });
    const { contents } = await client.readResource({ uri: 'synapse://audit/newest/1' });
    const [content] = contents;
    const text = content !== undefined && 'text' in content ? content.text : '';
    const [line] = text.trim().split('\n');
    const call = JSON.parse(line ?? '') as { tool: string; start: { session: string } };
    expect(call).toMatchObject({ tool: 'read_file', start: { session: expect.stringMatching(/^[0-9a-f-]{36}$/u) as string } });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['synapse://audit']);
    await expect(client.readResource({ uri: 'synapse://audit/newest/1000000' })).rejects.toMatchObject({ code: -32602 });
  });

  it('reads a stored output by its handle, page by page, as read_file would', async () => {
    const { client } = await connect(mode);
    const shown = JSON.stringify(await client.callTool({ name: 'wordy' }));
    const id = /spill:([a-z0-9]{24})/u.exec(shown)?.[1] ?? '';
    const { contents } = await client.readResource({ uri: `synapse://spills/${id}` });
    expect(contents[0]).toMatchObject({ mimeType: 'text/plain', text: expect.stringMatching(/^line 1\n[^]*\nline 2000\n?$/u) as string });
    expect(contents[1]).toMatchObject({ text: `[It goes on at synapse://spills/${id}/from/2001]` });
    const more = await client.readResource({ uri: `synapse://spills/${id}/from/2001` });
    expect(more.contents[0]).toMatchObject({ text: expect.stringMatching(/^line 2001\n/u) as string });
    const [record] = queryAudit(state, hands.workspace, { limit: 1 });
    expect(record).toMatchObject({ tool: 'read_file', start: { session: expect.any(String) as string } });
  });

  it.each([
    'synapse://spills/..',
    'synapse://spills/a.txt',
    `synapse://spills/${'0'.repeat(24)}`,
    'synapse://spills/%2e%2e%2fa',
    `synapse://spills/${'x'.repeat(2_000)}`,
  ])('reads nothing at %s', async (uri) => {
    const { client } = await connect(mode);
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
  });

  it('asks its person where the policy asks, and goes on with the yes', async () => {
    await rm(join(workspace, 'b.txt'), { force: true });
    const { client } = await connect(mode, { elicitation: {} });
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { decision: 'allow' } };
    });
    expect(await client.callTool(write)).not.toHaveProperty('isError');
    expect(questions).toEqual([expect.stringContaining('b.txt')]);
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('new\n');
  });
});

const call = (name: string, id = 7): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, _meta: { progressToken: id } },
});

it('asks where the call came from: a client need not open another stream', async () => {
  const session = await begin({ elicitation: {} });
  const response = await post({ ...call('write_file'), params: { name: 'write_file', arguments: { path: 'asked.txt', content: '' } } }, session);
  const question = /"id":(?<id>\d+|"[^"]+")/u.exec(/data: .*elicitation\/create.*/u.exec(await until(response, 'elicitation/create'))?.[0] ?? '');
  const id: unknown = JSON.parse(question?.groups?.['id'] ?? 'null');
  expect(id).not.toBeNull();
  expect(await post({ jsonrpc: '2.0', id, result: { action: 'accept', content: { decision: 'allow' } } }, session)).toMatchObject({ status: 202 });
  await vi.waitFor(async () => expect(await readFile(join(workspace, 'asked.txt'), 'utf8')).toBe(''), WAIT);
});

describe('a connection that ends', () => {
  it('cancels the call of a 2026 client', async () => {
    const leaving = new AbortController();
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: {}, _meta: { ...envelope, progressToken: 1 } } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'slow' };
    const response = await post(body, headers, leaving.signal);
    await until(response, 'begun');
    leaving.abort();
    await vi.waitFor(() => expect(existsSync(join(state, 'slow-ended'))).toBe(true), WAIT);
  });

  it('does not cancel the call of a 2025 client, who can come back for the answer', async () => {
    const session = await begin();
    const leaving = new AbortController();
    const heard = await until(await post(call('slow'), session, leaving.signal), 'begun');
    leaving.abort();
    const lastId = /^id: (\d+)$/mu.exec(heard)?.[1] ?? '';
    const back = (): Promise<Response> =>
      fetch(url, { headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', ...session, 'last-event-id': lastId } });
    let resumed = await back();
    await vi.waitFor(async () => {
      // Until the server has seen that the first connection is gone.
      if (resumed.status === 409) resumed = await back();
      expect(resumed.status).toBe(200);
    }, WAIT);
    expect(existsSync(join(state, 'slow-ended'))).toBe(false);
    const answer = until(resumed, '"id":7');
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, session);
    await vi.waitFor(() => expect(existsSync(join(state, 'slow-ended'))).toBe(true), WAIT);
    // A cancelled call is not answered; what was sent before is sent again.
    await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}`, ...session } });
    expect(await answer).toContain('begun');
  });
});

describe('a session', () => {
  it('ends with DELETE, which cancels its calls, and is gone then', async () => {
    const session = await begin();
    const response = await post(call('slow'), session);
    await until(response, 'begun');
    const ended = await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}`, ...session } });
    expect(ended.status).toBe(200);
    await vi.waitFor(() => expect(existsSync(join(state, 'slow-ended'))).toBe(true), WAIT);
    expect((await post(call('counting'), session)).status).toBe(404);
  });

  it('cannot be guessed, left out or begun twice', async () => {
    const session = await begin();
    expect((await post(call('counting'), { ...session, 'mcp-session-id': '1' })).status).toBe(404);
    const { 'mcp-session-id': _, ...none } = session;
    expect((await post(call('counting'), none)).status).toBe(400);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } };
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, session)).status).toBe(400);
  });

  it('refuses an id that was used before, also after its call has ended', async () => {
    const session = await begin();
    await until(await post(call('slow'), session), 'begun');
    const second = await post(call('counting'), session);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({
      id: 7,
      error: { code: -32_600, message: expect.stringContaining('had this id') as string },
    });
    // A text is another id than a number.
    expect(await (await post({ ...call('counting'), id: '7' }, session)).text()).toContain('counted');
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, session);
    expect((await post(call('counting'), session)).status).toBe(400);
    expect(await (await post({ ...call('counting'), id: 8 }, session)).text()).toContain('counted');
    expect((await post({ ...call('counting'), id: 8 }, session)).status).toBe(400);
  });

  it('has another id in the records than on the wire', async () => {
    const session = await begin();
    await (await post(call('counting'), session)).text();
    const [last] = queryAudit(state, hands.workspace, { limit: 1 });
    expect(last).toMatchObject({ tool: 'counting', start: { session: expect.any(String) as string } });
    expect(last?.start.session).not.toBe(session['mcp-session-id']);
  });

  it('gives way where there are too many, and its client gets the answer to begin again', async () => {
    const first = await begin();
    for (let index = 0; index < 64; index += 1) await begin();
    expect((await post(call('counting'), first)).status).toBe(404);
    const another = await begin();
    expect((await post(call('counting'), another)).status).toBe(200);
  });
});

it('answers 64 calls at once and refuses the next, but hears a cancellation', async () => {
  const session = await begin();
  const streams = await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const response = await post(call('slow', 100 + index), session);
      await until(response, 'begun');
    }),
  );
  expect(streams).toHaveLength(64);
  const refused = await post(call('counting'), session);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 100 } }, session);
  await vi.waitFor(async () => expect((await post(call('counting'), session)).status).toBe(200), WAIT);
  await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}`, ...session } });
});

it('lets allowed pages ask, and tells the others nothing', async () => {
  const preflight = (origin: string): Promise<Response> =>
    fetch(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
  const local = await preflight('http://localhost:6274');
  expect([local.status, local.headers.get('access-control-allow-origin')]).toEqual([204, 'http://localhost:6274']);
  const other = await preflight('https://evil.example');
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

it.each<[string, string, number]>([
  ['no JSON', 'hello', -32700],
  ['half a message', '{"jsonrpc":"2.0","id":7', -32700],
  ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', -32600],
  ['100,000 brackets', '['.repeat(50_000) + ']'.repeat(50_000), -32600],
  ['a bare value', '42', -32600],
  ['no method', '{"jsonrpc":"2.0","id":7}', -32600],
  ['nothing', '', -32700],
])('refuses %s as a body', async (_, body, code) => {
  const response = await post(body, await begin());
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code } });
});

it.each<[string, string, object]>([
  [
    'arguments 10,000 deep',
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"path":${'['.repeat(10_000) + ']'.repeat(10_000)}}}}`,
    { isError: true },
  ],
  [
    '__proto__',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_file","arguments":{"__proto__":{"path":"a"}}}}',
    { isError: true },
  ],
])('answers %s, and the next call', async (_, body, expected) => {
  const session = await begin();
  const heard = await (await post(body, session)).text();
  expect(JSON.parse(/^(?:data: )?(\{.*\})$/mu.exec(heard)?.[1] ?? '{}')).toMatchObject({ id: 7, result: expected });
  expect(await (await post({ ...call('counting'), id: 8 }, session)).text()).toContain('counted');
});
