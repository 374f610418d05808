import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

async function folders(): Promise<{ workspace: string; state: string; command: [string, string[]] }> {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const state = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  const server = join(import.meta.dirname, 'fixtures', 'serve.ts');
  return { workspace, state, command: [process.execPath, ['--conditions=synapse-source', server, workspace, state]] };
}

async function connect(mode: VersionNegotiationMode): Promise<{ client: Client; workspace: string; state: string }> {
  const { workspace, state, command } = await folders();
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
  const env = { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
  await client.connect(new StdioClientTransport({ command: command[0], args: command[1], env, stderr: 'inherit' }));
  return { client, workspace, state };
}

const WAIT = { timeout: 60_000, interval: 20 };

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s', (_, mode) => {
  let client: Client;
  let workspace: string;
  let state: string;
  beforeAll(async () => void ({ client, workspace, state } = await connect(mode)));
  afterAll(() => client.close());

  it('lists the tools with schema and annotations, and nothing twice', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('read_file');
    for (const tool of tools) {
      expect(tool).toMatchObject({
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: expect.any(Boolean) as boolean },
      });
      expect(JSON.stringify(tool)).not.toContain('$schema');
    }
  });

  it('reads a megabyte, and bounds the value beside it', async () => {
    const text = 'äx\n'.repeat(250_000);
    await writeFile(join(workspace, 'big.txt'), text);
    const result = await client.callTool({ name: 'read_file', arguments: { path: 'big.txt' } });
    expect(JSON.stringify(result.structuredContent).length).toBeLessThan(101_000);
    expect(result.isError).toBeUndefined();
    expect(result.content).toHaveLength(1);
    const [first] = result.content;
    expect(first?.type === 'text' && /^\[lines 1-250000 of 250000; [^\]]*\]\n/u.exec(first.text)?.[0] + text === first.text).toBe(true);
    expect(JSON.stringify(result).length).toBeLessThan(1.5 * JSON.stringify(text).length);
  });

  it('gets pictures and notes as blocks', async () => {
    const result = await client.callTool({ name: 'picture' });
    expect(result.content).toEqual([
      { type: 'text', text: '[A picture.]' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ]);
  });

  it.each([
    ['a missing file', { name: 'read_file', arguments: { path: 'none.txt' } }, 'none.txt'],
    ['a missing field', { name: 'read_file', arguments: {} }, 'path is missing'],
    ['a field too many', { name: 'read_file', arguments: { path: 'a', pth: 1 } }, 'did you mean path'],
    ['a path outside', { name: 'read_file', arguments: { path: '../../etc/passwd' } }, 'Error'],
  ])('gets %s as a result in our words', async (_name, call, words) => {
    const result = await client.callTool(call);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(words);
    expect(result._meta).toHaveProperty('synapse/code');
  });

  it('gets the near names of a tool that does not exist', async () => {
    await expect(client.callTool({ name: 'read_fil' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Did you mean read_file\?/u) as string,
    });
  });

  it('hears of progress, thinned out and rising', async () => {
    // The client forgets its listener with the answer: of a pair that arrives in one piece it hears the answer only.
    await vi.waitFor(async () => {
      const heard: { progress: number }[] = [];
      const result = await client.callTool({ name: 'counting' }, { onprogress: (progress) => void heard.push(progress) });
      expect(result.content).toEqual([{ type: 'text', text: 'counted' }]);
      expect(heard[0]).toMatchObject({ progress: 1, total: 1_000, message: 'step 1' });
      expect(heard.length).toBeLessThan(100);
    }, WAIT);
  });

  it('can cancel a call, and the next one is answered', async () => {
    const controller = new AbortController();
    const call = client.callTool({ name: 'slow' }, { signal: controller.signal, onprogress: () => controller.abort('enough') });
    await expect(call).rejects.toThrow('enough');
    await vi.waitFor(() => expect(existsSync(join(state, 'slow-ended'))).toBe(true), WAIT);
    await expect(client.callTool({ name: 'counting' })).resolves.toMatchObject({ content: [{ text: 'counted' }] });
  });

  it('leaves, and every call ends before the server does', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const call = client.callTool({ name: 'slow' }, { onprogress: () => resolve() });
    await begun;
    await Promise.all([expect(call).rejects.toThrow('Connection closed'), client.close()]);
    await vi.waitFor(() => expect(existsSync(join(state, 'server-ended'))).toBe(true), WAIT);
    expect(existsSync(join(state, 'slow-ended'))).toBe(true);
  });
});
