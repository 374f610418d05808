import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, makePlace, runCli } from './run-cli.ts';

async function connect(...words: string[]): Promise<{ client: Client; folder: string }> {
  const { folder, environment } = await makePlace({ 'a.txt': 'hello\n' });
  const client = new Client({ name: 'e2e', version: '0' });
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', '--workspace', folder, ...words],
      env: environment as Record<string, string>,
      stderr: 'inherit',
    }),
  );
  return { client, folder };
}

const write = { name: 'write_file', arguments: { path: 'b.txt', content: 'new\n' } };

it('reads, and refuses to change what was not allowed', async () => {
  const { client } = await connect();
  expect(await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })).toMatchObject({
    content: [{ text: expect.stringMatching(/^\[lines 1-1 of 1; version \w+\.\]\nhello\n$/u) as string }],
  });
  const refused = await client.callTool(write);
  expect(refused).toMatchObject({ isError: true, _meta: { 'synapse/code': 'approval_required' } });
  expect(JSON.stringify(refused.content)).toContain('--allow write');
});

it('changes what was allowed', async () => {
  const { client, folder } = await connect('--allow', 'write');
  expect(await client.callTool(write)).not.toHaveProperty('isError');
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('new\n');
});

it('offers the tools that were named, and no others', async () => {
  const { client } = await connect('--tools', 'file_info,read_file');
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['file_info', 'read_file']);
  await expect(client.callTool({ name: 'list_directory', arguments: {} })).rejects.toMatchObject({ code: -32602 });
});

it('reaches no other tool through one that is offered', async () => {
  const input = { path: 'a.txt', edits: [{ old_text: 'hello', new_text: 'Hello' }], then: 'touch ran.txt' };
  for (const [tools, says] of [
    ['edit', 'run_command is not offered here'],
    ['edit,run_command', 'exit code 0'],
  ] as const) {
    const { client, folder } = await connect('--tools', tools, '--allow', 'write,exec');
    const { content } = await client.callTool({ name: 'edit_file', arguments: input });
    expect(JSON.stringify(content)).toContain(says);
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('Hello\n');
  }
});

it('refuses a tool that there is not, before any client comes', async () => {
  const place = await makePlace();
  const { code, err } = await runCli(place, ['mcp', '--tools', 'read_fil']);
  expect(code).toBe(2);
  expect(err).toContain('Did you mean read_file');
});

it('tells what holds for calls, and nothing of the network where it is open', async () => {
  const { client } = await connect();
  expect(client.getInstructions()).toContain('Commands have no network');
  const { client: other } = await connect('--network', 'on');
  expect(other.getInstructions()).toContain('Commands have network access.');
});

it('tells its version', async () => {
  const { client } = await connect();
  const { version } = JSON.parse(await readFile(new URL('../../packages/cli/package.json', import.meta.url), 'utf8')) as { version: string };
  expect(client.getServerVersion()).toEqual({ name: 'synapse', version });
});
