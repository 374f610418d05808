import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI, makePlace, runCli, type Place } from './run-cli.ts';
import { startHttp } from './start-http.ts';

const everything = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')), 'dist/index.js');
const ECHO = 'mcp__everything__echo';
const call = { name: ECHO, arguments: { message: 'hello' } };

/** A tracked place whose user has set up servers. */
async function placeWith(servers: object): Promise<Place> {
  const place = await makePlace({ 'a.txt': 'hello\n' });
  const config = join(place.environment['XDG_STATE_HOME'] ?? '', 'config');
  await mkdir(join(config, 'synapse'), { recursive: true });
  await writeFile(join(config, 'synapse', 'config.jsonc'), JSON.stringify({ mcp: { servers } }));
  return { ...place, environment: { ...place.environment, XDG_CONFIG_HOME: config } };
}

const SERVER = { everything: { command: process.execPath, args: [everything] } };

/** A client that hears of changes, and one that waits for a tool to be on the list. */
function watching(): { client: Client; listed: (name: string) => Promise<string[]> } {
  let changed = Promise.withResolvers<void>();
  const onChanged = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const client = new Client({ name: 'e2e', version: '0' }, { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } });
  onTestFinished(() => client.close());
  const listed = async (name: string): Promise<string[]> => {
    for (;;) {
      // Taken before the list is asked for: a change that comes meanwhile is not missed.
      const { promise } = changed;
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      if (names.includes(name)) return names;
      await promise;
    }
  };
  return { client, listed };
}

function stdio({ folder, environment }: Place, words: readonly string[]): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--mcp', '--workspace', folder, ...words],
    env: environment as Record<string, string>,
    stderr: 'pipe',
  });
}

describe('passes on the tools of other MCP servers', () => {
  it('over stdio, told of as they come, under its own rules and records', async () => {
    const place = await placeWith(SERVER);
    const { client, listed } = watching();
    await client.connect(stdio(place, []));
    expect(await listed(ECHO)).toContain('read_file');
    expect(await client.callTool(call)).toMatchObject({ isError: true, _meta: { 'synapse/code': 'approval_required' } });
    await client.close();

    const allowed = watching();
    await allowed.client.connect(stdio(place, ['--allow', 'exec']));
    await allowed.listed(ECHO);
    expect(await allowed.client.callTool(call)).toMatchObject({ content: [{ type: 'text', text: 'Echo: hello' }] });
    await allowed.client.close();
    const { out } = await runCli(place, ['log', '--tool', 'mcp:everything:echo', '--json']);
    expect(out).toContain('"approval_required"');
    expect(out.match(/"mcp:everything:echo"/gu)?.length).toBeGreaterThan(1);
  });

  it('over HTTP', async () => {
    const place = await placeWith(SERVER);
    await using server = await startHttp(['--mcp', '--allow', 'exec'], {}, place);
    const { client, listed } = watching();
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${server.token}` } } }),
    );
    await listed(ECHO);
    expect(await client.callTool(call)).toMatchObject({ content: [{ type: 'text', text: 'Echo: hello' }] });
  });

  it('as far as they were asked for', async () => {
    const place = await placeWith(SERVER);
    const { client, listed } = watching();
    await client.connect(stdio(place, ['--tools', 'read_file,mcp:everything:e*', '--allow', 'exec']));
    const names = await listed(ECHO);
    expect(names).toContain('read_file');
    expect(names.every((name) => name === 'read_file' || name.startsWith('mcp__everything__e'))).toBe(true);
    await expect(client.callTool({ name: 'mcp__everything__get-sum', arguments: { a: 1, b: 2 } })).rejects.toMatchObject({ code: -32602 });
  });

  it('and not when it was started by another Synapse: a configuration may name Synapse itself', async () => {
    const place = await placeWith({});
    const servers = { synapse: { command: process.execPath, args: [CLI, 'mcp', '--mcp', '--workspace', place.folder], env: place.environment } };
    const config = join(place.environment['XDG_CONFIG_HOME'] ?? '', 'synapse', 'config.jsonc');
    await writeFile(config, JSON.stringify({ mcp: { servers, searchAbove: 500 } }));
    const { client, listed } = watching();
    await client.connect(stdio(place, []));
    const names = await listed('mcp__synapse__read_file');
    expect(names.filter((name) => name.includes('mcp__synapse__mcp__'))).toEqual([]);
    // The same for one that is surely not just late: every server of Synapse has such a mark in its environment.
    const inside = { ...place, environment: { ...place.environment, SYNAPSE_CALL: 'mark' } };
    expect(await runCli(inside, ['mcp', '--mcp'])).toMatchObject({ code: 0, err: expect.stringContaining('Another Synapse started this one') });
    expect(await runCli(place, ['mcp', '--mcp'])).toMatchObject({ code: 0, err: '' });
  });
});
