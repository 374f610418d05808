import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { clientTraits } from './call-context.ts';

const open: Client[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((client) => client.close()))));

/** What a client of a name gets to read of a file with 2,500 lines of 20 bytes. */
async function readAs(name: string, mode: 'legacy' | { pin: string }): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  await writeFile(join(workspace, 'a.txt'), 'x'.repeat(19).concat('\n').repeat(2_500));
  const client = new Client({ name, version: '0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        '--conditions=synapse-source',
        join(import.meta.dirname, 'fixtures', 'serve.ts'),
        workspace,
        await mkdtemp(join(tmpdir(), 'synapse-state-')),
      ],
      env: { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
      stderr: 'inherit',
    }),
  );
  open.push(client);
  const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
  expect(content).toHaveLength(1);
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

describe.each([['2025', 'legacy'] as const, ['2026-07-28', { pin: '2026-07-28' }] as const])('a client of %s', (_, mode) => {
  it('gets no more than it keeps, with where to go on in the first line', async () => {
    const text = await readAs('codex-mcp-client', mode);
    expect(Buffer.byteLength(text)).toBeLessThan(12_000);
    const [line = ''] = text.split('\n');
    const last = /^\[lines 1-(\d+) of 2500; version \w+\. Go on with offset (\d+)\.\]$/u.exec(line);
    expect([Number(last?.[1]), Number(last?.[2])]).toEqual([text.split('\n').length - 2, text.split('\n').length - 1]);
  });

  it('that counts characters of JSON gets no more than it shows, with a true first line', async () => {
    const text = await readAs('@cline/core', mode);
    expect(JSON.stringify(text).length).toBeLessThan(7_800);
    expect(JSON.stringify(text).length).toBeGreaterThan(6_500);
    const [line = '', ...shown] = text.trimEnd().split('\n');
    expect(line).toMatch(new RegExp(`^\\[lines 1-${shown.length} of 2500; version \\w+\\. Go on with offset ${shown.length + 1}\\.\\]$`, 'u'));
  });

  it('gets all that the hands allow, where nothing else is known of it', async () => {
    expect(await readAs('somebody', mode)).toContain('[lines 1-2500 of 2500; ');
  });
});

it.each([
  ['claude-code', { questionCharacters: 210, reads: 'text' }],
  ['claude-ai', { reads: 'text' }],
  ['Codex', { readerLimits: { outputBytes: 11_000 }, reads: 'text' }],
  ['opencode', { readerLimits: { outputLines: 1_990 }, reads: 'text' }],
  ['gemini-cli-mcp-client-synapse', { readerLimits: { jsonCharacters: 39_000 }, reads: 'text' }],
  ['qwen-cli-mcp-client-synapse', { readerLimits: { outputBytes: 24_000 }, reads: 'text' }],
  ['@cline/core', { readerLimits: { jsonCharacters: 7_700 }, reads: 'text', images: 'none' }],
  ['Cline', { readerLimits: { jsonCharacters: 7_700 }, images: 'none' }],
])('knows %s', (name, traits) => {
  expect(clientTraits(name)).toMatchObject(traits);
});

it.each(['', undefined, 'somebody', 'my-claude-code', 'decline'])('knows nothing of %j', (name) => {
  expect(clientTraits(name)).toEqual({});
});
