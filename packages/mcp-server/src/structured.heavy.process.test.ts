import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CANONICAL_TOOLS } from '@synapse/hands/tools';
import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

const open: Client[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((client) => client.close()))));

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

async function makeRepository(): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-structured-'));
  await writeFile(join(workspace, 'a.txt'), 'one\ntwo\n');
  await writeFile(join(workspace, 'b.ts'), 'export const one = 1;\n');
  await writeFile(join(workspace, 'picture.png'), PNG);
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: workspace });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  await writeFile(join(workspace, 'a.txt'), 'one\ntwo\nthree\n');
  return workspace;
}

interface Connected {
  readonly client: Client;
  readonly transport: StdioClientTransport;
}

async function connectAs(name: string, mode: 'legacy' | { pin: string }): Promise<Connected> {
  const workspace = await makeRepository();
  const client = new Client({ name, version: '0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      '--conditions=synapse-source',
      join(import.meta.dirname, 'fixtures', 'serve-all.ts'),
      workspace,
      await mkdtemp(join(tmpdir(), 'synapse-state-')),
    ],
    env: { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
    stderr: 'inherit',
  });
  await client.connect(transport);
  open.push(client);
  return { client, transport };
}

/** A call of each tool that works, in an order in which they do, and one that fails. */
const CALLS: ReadonlyArray<readonly [tool: string, works: object, fails: object]> = [
  ['read_file', { path: 'a.txt' }, { path: 'no.txt' }],
  ['list_directory', {}, { path: 'no' }],
  ['file_info', { path: 'a.txt' }, { path: 'no.txt' }],
  ['search_text', { pattern: 'two' }, { pattern: '(' }],
  ['find_files', { glob: '*.txt' }, { glob: '' }],
  ['code', { action: 'outline', path: 'b.ts' }, { action: 'outline', path: 'a.txt' }],
  ['git_status', {}, { path: '/etc' }],
  ['git_diff', {}, { revision: 'nothing' }],
  ['git_log', { bodies: true, files: true }, { revision: 'nothing' }],
  ['git_show', { revision: 'HEAD' }, { revision: 'nothing' }],
  ['git_blame', { path: 'a.txt' }, { path: 'no.txt' }],
  ['run_program', { code: 'return 1' }, { code: '' }],
  ['diagnostics', {}, { path: 'no.txt' }],
  ['create_directory', { path: 'sub' }, { path: 'a.txt' }],
  ['write_file', { path: 'sub/b.txt', content: 'b\n' }, { path: 'sub', content: '' }],
  ['edit_file', { path: 'sub/b.txt', edits: [{ old_text: 'b', new_text: 'c' }] }, { path: 'sub/b.txt', edits: [{ old_text: 'x', new_text: 'y' }] }],
  ['apply_patch', { patch: '*** Begin Patch\n*** Add File: sub/c.txt\n+c\n*** End Patch\n' }, { patch: 'nothing' }],
  ['move_path', { from: 'sub/c.txt', to: 'sub/d.txt' }, { from: 'no', to: 'a' }],
  ['delete_file', { path: 'sub/d.txt' }, { path: 'no' }],
  ['delete_directory', { path: 'sub', recursive: true }, { path: 'no' }],
  ['run_command', { command: 'echo out; exit 3' }, { command: '' }],
  ['job', { action: 'list' }, { action: 'status', id: 'job-99' }],
  ['fetch_url', {}, { url: 'ftp://example.com' }],
];

const ERAS = [['2025', 'legacy'] as const, ['2026-07-28', { pin: '2026-07-28' }] as const];

it('covers all tools', () => {
  expect(CALLS.map(([tool]) => tool).toSorted()).toEqual(CANONICAL_TOOLS.map(({ name }) => name).toSorted());
});

describe.each(ERAS)('a client of %s that is not known', (_, mode) => {
  it('gets values that its SDK finds to be as each tool declares, with the notes of the call, and errors', async () => {
    const { client } = await connectAs('someone', mode);
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
    for (const [name, works, fails] of CALLS) {
      if (name !== 'fetch_url') {
        const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: { ...works } });
        expect({ name, isError, data: typeof structuredContent, content }).toMatchObject({ isError: false, data: 'object' });
      }
      const failed = await client.callTool({ name, arguments: { ...fails } });
      expect({ name, isError: failed.isError, data: failed.structuredContent }).toEqual({ name, isError: true, data: undefined });
    }
    const text = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
    expect(text.structuredContent).toMatchObject({ content: 'one\ntwo\nthree\n', notes: expect.stringMatching(/^\[lines 1-3 of 3; /u) as string });
    // The image itself is sent once.
    const image = await client.callTool({ name: 'read_file', arguments: { path: 'picture.png' } });
    expect(image).toMatchObject({ content: [{ type: 'text' }, { type: 'image' }], structuredContent: { kind: 'image', content: '' } });
  }, 60_000);
});

it('control: the SDK refuses a value that is not as declared', async () => {
  const { client, transport } = await connectAs('someone', 'legacy');
  await client.listTools();
  const receive = transport.onmessage;
  const falsified: typeof receive = (message, ...more) => {
    const told = JSON.parse(JSON.stringify(message).replace('"total_lines":3', '"total_lines":"three"')) as typeof message;
    receive?.(told, ...more);
  };
  Object.assign(transport, { onmessage: falsified });
  await expect(client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })).rejects.toThrow(/schema|total_lines/iu);
});

it.each([['claude-code', '2025', 'legacy', 'image'] as const, ['@cline/core', '2026-07-28', { pin: '2026-07-28' }, 'text'] as const])(
  '%s, of %s, whose model reads the text: gets no structured value, pays for no schema',
  async (name, _, mode, block) => {
    const { client } = await connectAs(name, mode);
    const { tools } = await client.listTools();
    expect(tools.filter((tool) => 'outputSchema' in tool)).toEqual([]);
    expect(await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })).not.toHaveProperty('structuredContent');
    const { content } = await client.callTool({ name: 'read_file', arguments: { path: 'picture.png' } });
    expect(content.map(({ type }) => type)).toEqual(['text', block]);
    const base64 = PNG.toString('base64').slice(0, 20);
    expect(JSON.stringify(content).includes(`This is an image: image/png, ${PNG.length} bytes.`)).toBe(block === 'text');
    expect(JSON.stringify(content).includes(base64)).toBe(block === 'image');
  },
);
