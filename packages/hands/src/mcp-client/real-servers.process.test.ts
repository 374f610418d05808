import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Progress } from '@synapse/protocol';
import { mcpPlace } from './fixtures/raw-hands.ts';
import { realServer, startHttp, type ReferenceServer } from './fixtures/real-server.ts';
import { marked } from './fixtures/marked-output.ts';

const node = (name: ReferenceServer, ...more: string[]) => ({ command: process.execPath, args: [realServer(name), ...more] });

describe('real servers', () => {
  it('over stdio, four at once', async () => {
    await using place = await mcpPlace();
    writeFileSync(join(place.workspace, 'note.txt'), 'kept here\n');
    const hands = await place.open({
      servers: {
        everything: node('server-everything'),
        filesystem: node('server-filesystem', '${workspaceFolder}'),
        memory: { ...node('server-memory'), env: { MEMORY_FILE_PATH: join(place.notes, 'memory.json') } },
        thinking: node('server-sequential-thinking'),
      },
    });
    await hands.mcp.settled();
    expect(hands.mcp.list().map(({ name, state, tools, problems }) => [name, state, tools.length, problems])).toEqual([
      ['everything', 'ready', 16, []],
      ['filesystem', 'ready', 14, []],
      ['memory', 'ready', 9, []],
      ['thinking', 'ready', 1, []],
    ]);
    const read = await hands.call('mcp:filesystem:read_text_file', { path: join(place.workspace, 'note.txt') });
    // The text and the structured value say the same: it is shown once.
    expect(read).toMatchObject({ ok: true, output: marked('kept here'), data: { structured: { content: 'kept here\n' } } });
    expect(await hands.call('mcp:filesystem:read_text_file', { path: '/etc/passwd' })).toMatchObject({
      ok: false,
      error: { code: 'tool_failed', message: expect.stringContaining('Access denied') },
    });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    // As some models send it: a list as its JSON text.
    expect(await hands.call('mcp:memory:create_entities', { entities: JSON.stringify(entities) })).toMatchObject({ ok: true });
    expect(await hands.call('mcp:memory:search_nodes', { query: 'first program' })).toMatchObject({
      ok: true,
      output: expect.stringContaining('Ada'),
    });
    expect(
      await hands.call('mcp:thinking:sequentialthinking', { thought: 'Hm.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
    ).toMatchObject({
      ok: true,
      data: { structured: { thoughtNumber: 1 } },
    });
    expect(await hands.call('mcp:everything:get-sum', { a: 2, b: 3 })).toMatchObject({ ok: true, output: expect.stringContaining('5') });
    expect(await hands.call('mcp:everything:get-tiny-image', {})).toMatchObject({
      ok: true,
      content: [{ type: 'note' }, { type: 'text' }, { type: 'image', mimeType: 'image/png' }, { type: 'text' }, { type: 'note' }],
    });
    expect(await hands.call('mcp:everything:get-resource-links', { count: 2 })).toMatchObject({
      ok: true,
      output: expect.stringContaining('[resource link demo://'),
    });
  });

  it.each([
    ['streamable HTTP', 'streamableHttp', '/mcp', { type: 'http' }, 'http'],
    ['SSE', 'sse', '/sse', { type: 'sse' }, 'sse'],
    ['SSE where nobody said so', 'sse', '/sse', {}, 'sse'],
  ])('over %s, which dies and comes back', async (_, mode, path, type, transport) => {
    await using place = await mcpPlace();
    await using server = await startHttp([realServer('server-everything'), mode]);
    const hands = await place.open({ servers: { far: { url: `${server.origin}${path}`, ...type } } });
    const told: Progress[] = [];
    expect(await hands.call('mcp:far:echo', { message: 'over there' })).toMatchObject({ ok: true, output: marked('Echo: over there') });
    expect(hands.mcp.list()).toMatchObject([{ state: 'ready', connection: { transport }, target: `${server.origin}${path}` }]);
    const worked = await hands.call(
      'mcp:far:trigger-long-running-operation',
      { duration: 1, steps: 4 },
      { onProgress: (progress) => void told.push(progress) },
    );
    expect(worked).toMatchObject({ ok: true });
    expect(told.length).toBeGreaterThanOrEqual(2);
    const started = Promise.withResolvers<void>();
    const running = hands.call('mcp:far:trigger-long-running-operation', { duration: 20, steps: 80 }, { onProgress: () => started.resolve() });
    await started.promise;
    await server.kill();
    const died = await running;
    expect(died).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true } });
    expect(died.meta.durationMs).toBeLessThan(15_000);
    await place.until(() => ['waiting', 'connecting'].includes(hands.mcp.list()[0]?.state ?? ''));
  });

  // The codes: a version that is not supported, and a header that is missing.
  it.each([
    ['say so', -32022, 0],
    ['say so too late', -32020, 1],
  ])('over HTTP that know only the protocol of 2026 and %s are spoken to in that', async (_, refusal, silent) => {
    await using place = await mcpPlace();
    let discovered = 0;
    const reply = (request: IncomingMessage, response: ServerResponse, body: string): void => {
      const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string };
      if (method === 'server/discover' && (discovered += 1) <= silent) return;
      const results: Record<string, object> = {
        'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
        'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: `in ${String(request.headers['mcp-protocol-version'])}` }] },
      };
      const result = results[method ?? ''];
      const answer =
        result === undefined
          ? { error: { code: refusal, message: 'no' } }
          : { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } };
      response
        .writeHead(result === undefined ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    };
    const modern = createServer((request, response) => void text(request).then((body) => reply(request, response, body)));
    await new Promise<void>((resolve) => void modern.listen(0, '127.0.0.1', resolve));
    const far = { url: `http://127.0.0.1:${(modern.address() as AddressInfo).port}/mcp` };
    const hands = await place.open({ servers: { far }, ...(silent === 0 ? {} : { connectTimeoutMs: 6_000 }) });
    expect(await hands.call('mcp:far:hello', {})).toMatchObject({ ok: true, output: marked('in 2026-07-28') });
    await hands[Symbol.asyncDispose]();
    modern.close();
    modern.closeAllConnections();
  });

  it('that want a token get it, and it shows nowhere', async () => {
    await using place = await mcpPlace();
    const seen: (string | undefined)[] = [];
    const gate = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401, { 'content-type': 'text/plain' }).end(`who are you, ${request.headers.authorization ?? ''}?`);
    });
    await new Promise<void>((resolve) => void gate.listen(0, '127.0.0.1', resolve));
    const { port } = gate.address() as AddressInfo;
    try {
      process.env['TEST_MCP_TOKEN'] = 'tok_very_secret_1234';
      const hands = await place.open({
        servers: {
          far: { url: `http://127.0.0.1:${port}/mcp?api_key=key_very_secret_5678`, headers: { Authorization: 'Bearer ${TEST_MCP_TOKEN}' } },
        },
      });
      const result = await hands.call('mcp:far:echo', {});
      expect(result).toMatchObject({ ok: false, error: { code: 'unavailable', message: expect.stringContaining('HTTP 401') } });
      expect(seen[0]).toBe('Bearer tok_very_secret_1234');
      expect(JSON.stringify([result, hands.mcp.list()])).not.toMatch(/very_secret/u);
      await hands[Symbol.asyncDispose]();
      for (const entry of readdirSync(place.stateFolder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) expect(readFileSync(join(entry.parentPath, entry.name), 'latin1')).not.toMatch(/very_secret/u);
      }
    } finally {
      delete process.env['TEST_MCP_TOKEN'];
      gate.close();
    }
  });

  it('that are not there are tried again, and nobody waits for them', async () => {
    await using place = await mcpPlace();
    const hands = await place.open({ servers: { gone: { url: 'http://127.0.0.1:1/mcp' } } });
    expect(await hands.call('mcp:gone:x', {})).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: true } });
    expect(hands.mcp.list()).toMatchObject([{ state: 'waiting' }]);
  });

  it('do not get our headers from a redirect', async () => {
    await using place = await mcpPlace();
    const stolen: unknown[] = [];
    const thief = createServer((request, response) => {
      stolen.push(request.headers.authorization);
      response.end();
    });
    await new Promise<void>((resolve) => void thief.listen(0, '127.0.0.1', resolve));
    const to = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/mcp`;
    const bait = createServer((_, response) => response.writeHead(307, { location: to }).end());
    await new Promise<void>((resolve) => void bait.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(bait.address() as AddressInfo).port}/mcp`;
    const hands = await place.open({ servers: { bait: { url, headers: { Authorization: 'Bearer tok_very_secret_1234' } } } });
    expect(await hands.call('mcp:bait:x', {})).toMatchObject({ ok: false });
    expect(stolen).toEqual([]);
    await hands[Symbol.asyncDispose]();
    bait.close();
    thief.close();
  });

  it('that send a message without an end are cut off', async () => {
    await using place = await mcpPlace();
    const endless = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (response.write(' '.repeat(1024 * 1024)) && !response.destroyed);
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => void endless.listen(0, '127.0.0.1', resolve));
    const before = process.memoryUsage().rss;
    const hands = await place.open({ servers: { endless: { url: `http://127.0.0.1:${(endless.address() as AddressInfo).port}/mcp` } } });
    expect(await hands.call('mcp:endless:x', {})).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    await hands[Symbol.asyncDispose]();
    endless.closeAllConnections();
    endless.close();
  });
});
