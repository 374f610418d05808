import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, afterAll, expect, it, onTestFinished } from 'vitest';
import { startChatServer, type Scripted } from '../agent/scripted-chat.ts';
import { going } from './going.ts';
import { CLI, makePlace, runCli, type Place } from './run-cli.ts';

let place: Place;
let address: string;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  place = await makePlace({ 'a.txt': 'hello\n', 'AGENTS.md': 'Always be brief.\n' });
  const relay = stack.use(going(place, ['relay', '--dev', '--port', '0']));
  const url = await relay.said(/^ws:/u);
  const machine = stack.use(going(place, ['connect', url, '--name', 'desk', '--allow', 'write']));
  await machine.said(/^Connected/u);
  address = `${url}#desk`;
}, 60_000);
afterAll(() => stack.disposeAsync());

async function client(...words: string[]): Promise<Client> {
  const made = new Client({ name: 'e2e', version: '0' });
  onTestFinished(() => made.close());
  const elsewhere = await makePlace();
  const env = elsewhere.environment as Record<string, string>;
  const args = [CLI, 'mcp', '--remote', address, ...words];
  await made.connect(new StdioClientTransport({ command: process.execPath, args, cwd: elsewhere.folder, env, stderr: 'inherit' }));
  return made;
}

it('an MCP client drives a far machine', { timeout: 60_000 }, async () => {
  const far = await client();
  const names = (await far.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['read_file', 'run_command', 'job']));
  expect(far.getInstructions()).toContain('Commands have no network');
  expect(await far.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })).toMatchObject({
    content: [{ text: expect.stringMatching(/^\[lines 1-1 of 1[^\]]*\]\nhello\n$/u) as string }],
  });
  await far.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'far\n' } });
  expect(await readFile(join(place.folder, 'b.txt'), 'utf8')).toBe('far\n');
  const refused = await far.callTool({ name: 'write_file', arguments: { path: '.vscode/tasks.json', content: '{}' } });
  expect(refused).toMatchObject({ isError: true, _meta: { 'synapse/code': 'approval_required' } });
  await expect(far.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32602 });
});

it('an MCP client has some tools of a far machine, or a dialect', { timeout: 60_000 }, async () => {
  const some = await client('--tools', 'read-only');
  expect((await some.listTools()).tools.map(({ name }) => name)).not.toContain('write_file');
  await expect(some.callTool({ name: 'write_file', arguments: { path: 'x', content: '' } })).rejects.toMatchObject({ code: -32602 });
  const other = await client('--dialect', 'claude-code');
  const read = await other.callTool({ name: 'Grep', arguments: { pattern: 'hel', output_mode: 'content' } });
  expect(read.content).toEqual([{ type: 'text', text: 'a.txt:1:hello\n' }]);
});

it('a model works on a far machine', { timeout: 60_000 }, async () => {
  const call = (name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id: name, name, input: JSON.stringify(input) }] });
  const script = [call('read_file', { path: 'a.txt' }), call('write_file', { path: 'd.txt', content: 'made\n' })];
  await using server = await startChatServer((_, index) => script[index] ?? { kind: 'text', text: 'Done.' });
  const here = await makePlace();
  const { code, out, err } = await runCli(here, ['run', 'Make d.', '--base-url', server.url, '-m', 'scripted', '--remote', address]);
  expect([code, out]).toEqual([0, 'Done.\n']);
  expect(err).toContain('✓ read_file(a.txt)');
  expect(await readFile(join(place.folder, 'd.txt'), 'utf8')).toBe('made\n');
  // It gets the facts of the machine where it works, and not of this one.
  const system = JSON.stringify(server.requests[0]?.messages[0]);
  expect(system).toContain(place.folder);
  expect(system).toContain('Always be brief.');
  expect(system).not.toContain(here.folder);
});

it('a dry run is one there: nothing is changed', { timeout: 60_000 }, async () => {
  const call = (tool: string, input: unknown) => runCli(place, ['call', tool, JSON.stringify(input), '--remote', address, '--dry-run']);
  const write = await call('write_file', { path: 'a.txt', content: 'two\n' });
  expect(write.code).toBe(0);
  expect(write.out).toMatch(/^Dry run: nothing was changed\.[^]*-hello\n\+two\n/u);
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('hello\n');
  const tried = await call('run_command', { command: 'cat a.txt; touch ran' });
  expect(tried).toMatchObject({ code: 0, out: expect.stringContaining('create ran') as string });
  expect(readdirSync(place.folder)).not.toContain('ran');
});

it('fields are converted by the schemas of that machine', { timeout: 60_000 }, async () => {
  const found = await runCli(place, ['call', 'find_files', 'glob=a.*', 'limit=5', '--remote', address, '--json']);
  expect(JSON.parse(found.out)).toMatchObject({ ok: true, output: expect.stringContaining('a.txt') as string });
  expect((await runCli(place, ['call', 'read_file', 'paht=a.txt', '--remote', address])).err).toContain('did you mean path or paths?');
  expect((await runCli(place, ['call', 'find_files', 'limit=1', 'limit=2', '--remote', address])).err).toContain('limit was given 2 times');
});

it('what needs approval says how to allow it on that machine, not here', { timeout: 60_000 }, async () => {
  const command = await runCli(place, ['call', 'run_command', '{"command":"node a.js","live":true}', '--remote', address]);
  expect(command.code).toBe(4);
  expect(command.err).toContain('or synapse connect --allow exec. A person is asked where synapse connect runs in a terminal');
  expect(command.err).not.toContain('--yes');
  const dialect = await runCli(place, [
    'call',
    'Write',
    '{"file_path":".vscode/tasks.json","content":"{}"}',
    '--dialect',
    'claude-code',
    '--remote',
    address,
  ]);
  expect(dialect.out).toContain('synapse connect --allow write,protected');
});

it('lists the tools of that machine', { timeout: 60_000 }, async () => {
  const list = (...words: string[]) => runCli(place, ['tools', '--remote', address, ...words]);
  expect((await list()).out).toMatch(/^read_file {2}/mu);
  expect(JSON.parse((await list('--json', '--dialect', 'claude-code')).out)).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: 'Read' })]) as unknown,
  });
  expect((await list('--format', 'openai')).out).toContain('"type":"function"');
  expect(await list('--format', 'no')).toMatchObject({ code: 2, err: expect.stringContaining('Unknown tool format') as string });
  expect(await list('--mcp')).toMatchObject({ code: 2, err: expect.stringContaining('--mcp has no effect with --remote') as string });
});

it('mcp serves a far machine over stdio only', async () => {
  const { code, err } = await runCli(place, ['mcp', '--http', '--remote', address]);
  expect([code, err]).toEqual([2, 'Error: --http has no effect with --remote.\nLeave out --http.\n']);
});

it.each([
  ['call', ['call', 'read_file', '{"path":"a.txt"}', '--allow', 'write'], '--allow'],
  ['call with a yes', ['call', 'read_file', '{"path":"a.txt"}', '--yes'], '--yes'],
  ['call with a limit', ['call', 'read_file', '{"path":"a.txt"}', '--max-output', '9'], '--max-output'],
  ['mcp', ['mcp', '--allow', 'write'], '--allow'],
  ['run', ['run', 'x', '-m', 'x', '--base-url', 'http://127.0.0.1:1', '--allow', 'exec'], '--allow'],
  ['run with a yes', ['run', 'x', '-m', 'x', '--base-url', 'http://127.0.0.1:1', '--yes'], '--yes'],
])('%s refuses what is decided on the machine', async (_, words, named) => {
  const { code, err } = await runCli(place, [...words, '--remote', address]);
  expect(code).toBe(2);
  expect(err).toContain(`${named} is for this machine`);
});
