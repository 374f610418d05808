import type { Hands } from '@synapse/hands';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
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
  await writeFile(join(workspace, 'a.txt'), 'hello\n');
});
afterAll(async () => {
  await stop();
  await hands[Symbol.asyncDispose]();
});
beforeEach(() => rm(join(state, 'slow-ended'), { force: true }));

const plain = (name: string, given: object = {}, id = 7): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

describe('a plain call', () => {
  it('that is done soon is answered in one piece', async () => {
    const response = await post(plain('read_file', { path: 'a.txt' }), await begin());
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toMatchObject({ id: 7, result: { content: [{ type: 'text', text: expect.stringContaining('hello') as string }] } });
  });

  it('that takes longer is answered on a stream, and can be cancelled', async () => {
    const session = await begin();
    const response = await post(plain('slow'), session);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, session);
    await vi.waitFor(() => expect(existsSync(join(state, 'slow-ended'))).toBe(true), WAIT);
  });

  it('is cancelled before it is on a stream, too', async () => {
    const session = await begin();
    const answer = post(plain('slow'), session);
    await vi.waitFor(async () => {
      await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, session);
      expect(existsSync(join(state, 'slow-ended'))).toBe(true);
    }, WAIT);
    await (await answer).body?.cancel();
  });

  it('asks the person on the stream of its answer', async () => {
    const session = await begin({ elicitation: {} });
    const response = await post(plain('write_file', { path: 'soon.txt', content: 'x' }), session);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const question = /"id":(?<id>\d+|"[^"]+")/u.exec(/data: .*elicitation\/create.*/u.exec(await until(response, 'elicitation/create'))?.[0] ?? '');
    const id: unknown = JSON.parse(question?.groups?.['id'] ?? 'null');
    await post({ jsonrpc: '2.0', id, result: { action: 'accept', content: { decision: 'allow' } } }, session);
    await vi.waitFor(async () => expect(await readFile(join(workspace, 'soon.txt'), 'utf8')).toBe('x'), WAIT);
  });

  it('is left to the SDK where the client takes no JSON, or speaks of another protocol', async () => {
    const session = await begin();
    expect((await post(plain('read_file'), { ...session, accept: 'text/event-stream' })).status).toBe(406);
    expect((await post(plain('read_file'), { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await post(plain('read_file'), { ...session, 'mcp-session-id': 'none' })).status).toBe(404);
  });
});
