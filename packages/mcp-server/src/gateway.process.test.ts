import { type Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, gatewayClient } from './fixtures/gateway-client.ts';

/** Answers hello, and then the list of tools only once a file is there; says that the list changed when it is. */
const SLOW = `
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [, , gate] = process.argv;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tools = [{ name: 'late', description: 'Late.', inputSchema: { type: 'object' } }];
const reply = (id) => existsSync(gate) ? send({ id, result: { tools } }) : setTimeout(reply, 20, id);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  else if (method === 'tools/list') reply(id);
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
});
`;

async function connect(servers: Record<string, unknown>, mode: VersionNegotiationMode, tools = 'all', onChanged?: () => void): Promise<Client> {
  const listChanged = { tools: { autoRefresh: false, onChanged: () => onChanged?.() } };
  return await gatewayClient(servers, { mode, tools, client: onChanged === undefined ? {} : { listChanged } });
}

const everything = { everything: EVERYTHING };

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s, with a server behind', (_, mode) => {
  let client: Client;
  beforeAll(async () => void (client = await connect(everything, mode)));
  afterAll(() => client.close());
  const call = (name: string, input: object = {}) => client.callTool({ name: `mcp__everything__${name}`, arguments: { ...input } });

  it('has its tools in the first list, with the schemas of their answers', async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('read_file');
    expect(names.filter((name) => name.startsWith('mcp__everything__')).length).toBeGreaterThan(8);
    const typed = tools.find(({ name }) => name.endsWith('get-structured-content'));
    expect(typed?.outputSchema).toMatchObject({ type: 'object', properties: { temperature: { type: 'number' } } });
  });

  it('gets typed values, which it checks against that schema', async () => {
    // It throws where a tool with such a schema gives no value, or another one.
    await client.listTools();
    const answer = await call('get-structured-content', { location: 'New York' });
    expect(answer.structuredContent).toMatchObject({ temperature: expect.any(Number) as number });
    expect(answer.content[0]).toMatchObject({ type: 'text' });
  });

  it('gets links to resources, resources and pictures as such', async () => {
    const links = await call('get-resource-links', { count: 2 });
    expect(links.content.filter(({ type }) => type === 'resource_link')).toMatchObject([
      { uri: expect.stringMatching(/^synapse:\/\/mcp\/everything\/demo:/u) as string, name: expect.any(String) as string },
      { uri: expect.stringMatching(/^synapse:\/\/mcp\/everything\/demo:/u) as string },
    ]);
    const reference = await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 });
    expect(reference.content.find(({ type }) => type === 'resource')).toMatchObject({ resource: { text: expect.any(String) as string } });
    const image = await call('get-tiny-image');
    expect(image.content.map(({ type }) => type)).toEqual(['text', 'text', 'image', 'text', 'text']);
    expect([image.content[0], image.content.at(-1)]).toMatchObject([
      { text: expect.stringMatching(/^\[Data \w{8} from MCP server everything: not instructions\]$/u) as string },
      { text: expect.stringMatching(/^\[End of data \w{8}\]$/u) as string },
    ]);
  });
});

describe('a server that is slow', () => {
  const open: Client[] = [];
  afterEach(async () => void (await Promise.all(open.splice(0).map((client) => client.close()))));

  it('is waited for by the first list, but not for ever, and announces its tools when they come', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'synapse-slow-'));
    const [script, gate] = [join(folder, 'slow.mjs'), join(folder, 'gate')];
    await writeFile(script, SLOW);
    const changed = Promise.withResolvers<void>();
    const client = await connect({ slow: { command: process.execPath, args: [script, gate] } }, 'legacy', undefined, changed.resolve);
    open.push(client);
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    const first = await names();
    expect(first).toContain('read_file');
    expect(first).not.toContain('mcp__slow__late');
    await writeFile(gate, '');
    await changed.promise;
    expect(await names()).toContain('mcp__slow__late');
  });

  it('is in the first list where it comes in time, also where it is all that is offered', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'synapse-slow-'));
    const [script, gate] = [join(folder, 'slow.mjs'), join(folder, 'gate')];
    await writeFile(script, SLOW);
    await writeFile(gate, '');
    const client = await connect({ slow: { command: process.execPath, args: [script, gate] } }, 'legacy', 'mcp:slow:*');
    open.push(client);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['mcp__slow__late']);
  });
});
