import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remotePlace } from '../security/remote-door.ts';
import { CLI, makePlace, runCli, type Place } from './run-cli.ts';

/** A call of a dialect, and what it says: the same words through each door. */
interface Row {
  readonly dialect: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: string | RegExp;
  readonly isError?: boolean;
  /** Default: all that `--yes` and `--allow write,exec` allow. */
  readonly allowed?: false;
  /** Exit code of the command line; default: 0, or 1 for an error. */
  readonly exitCode?: number;
}

const EDITOR = 'str_replace_based_edit_tool';
const PATCH = '*** Begin Patch\n*** Add File: p.txt\n+new\n*** End Patch';

const ROWS: readonly Row[] = [
  { dialect: 'synapse-readonly', tool: 'read_file', input: { path: 'a.txt' }, output: 'hello\n' },
  { dialect: 'synapse-readonly', tool: 'read_file', input: { path: 'none' }, output: 'Error: File not found', isError: true, exitCode: 5 },
  { dialect: 'synapse-readonly', tool: 'read_file', input: { path: '../x' }, output: 'Error: Security violation', isError: true, exitCode: 3 },
  { dialect: 'synapse-readonly', tool: 'get_diff', input: {}, output: 'Error: Not a git repository', isError: true },
  { dialect: 'synapse', tool: 'run_command', input: { command: 'cat a.txt' }, output: 'hello\n' },
  { dialect: 'synapse', tool: 'run_command', input: { command: 'echo no >&2; exit 3' }, output: 'no\n', isError: true },
  { dialect: 'synapse', tool: 'write_file', input: { path: 'b', content: 1 }, output: /^Error: write_file: content: /u, isError: true, exitCode: 2 },
  { dialect: 'synapsis', tool: 'file_edit', input: { path: 'a.txt', old_text: 'l', new_text: 'L' }, output: '{"path":"a.txt","applied":true}' },
  {
    dialect: 'synapsis',
    tool: 'file_edit',
    input: { path: 'a.txt', old_text: 'z', new_text: 'L' },
    output: 'old_text not found in file',
    isError: true,
  },
  { dialect: 'synapsis', tool: 'bash', input: { command: 'echo e >&2; exit 2' }, output: '{"output":"e\\n","exit_code":2}', exitCode: 1 },
  {
    dialect: 'synapsis',
    tool: 'bash',
    input: { command: 'true' },
    output: /^run_command needs approval/u,
    isError: true,
    allowed: false,
    exitCode: 4,
  },
  {
    dialect: 'ronin',
    tool: 'list_dir',
    input: { path: '.' },
    output: /^\[\{"name":"a\.txt","path":"a\.txt","is_dir":false,"size":6,"modified":\d{10}\}/u,
  },
  { dialect: 'ronin', tool: 'read_file', input: { path: 'big.txt' }, output: 'File too large (max 1MB)', isError: true },
  {
    dialect: 'ronin',
    tool: 'read_file',
    input: { path: '/etc/passwd' },
    output: /^Project not tracked\. Only tracked projects can be accessed\.$/u,
    isError: true,
    exitCode: 3,
  },
  { dialect: 'local-cli', tool: 'read_file', input: { path: 'none' }, output: '{"content":""}' },
  { dialect: 'local-cli', tool: 'find_files', input: { pattern: 'a.*' }, output: '{"files":["a.txt"]}' },
  { dialect: 'local-cli', tool: 'delete_file', input: { path: 'none' }, output: '{"success":false}', isError: true, exitCode: 5 },
  {
    dialect: 'ouroboros',
    tool: 'shell_exec',
    input: { command: 'cat a.txt' },
    output: '{"stdout":"hello\\n","stderr":"","exit_code":0,"timed_out":false}',
  },
  { dialect: 'ouroboros', tool: 'file_write', input: { path: 'd/n', content: 'x' }, output: '{"written_bytes":1,"path":"d/n"}' },
  { dialect: 'ouroboros', tool: 'NAME', input: {}, output: '{"error":"Unknown tool: NAME"}', isError: true, exitCode: 2 },
  { dialect: 'anthropic', tool: EDITOR, input: { command: 'view', path: 'a.txt' }, output: '     1\thello\n' },
  { dialect: 'anthropic', tool: 'bash', input: { command: 'exit 3' }, output: 'Exit code 3\n', isError: true },
  {
    dialect: 'openai',
    tool: 'shell',
    input: { action: { commands: ['cat a.txt'] } },
    output: '[{"stdout":"hello\\n","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
  },
  { dialect: 'openai', tool: 'apply_patch', input: { operation: { type: 'create_file', path: 'c', diff: '+x' } }, output: 'A c' },
  { dialect: 'claude-code', tool: 'Grep', input: { pattern: 'hel', output_mode: 'content' }, output: 'a.txt:1:hello\n' },
  { dialect: 'claude-code', tool: 'Read', input: { file_path: 'none' }, output: /^Error: File not found: none\./u, isError: true, exitCode: 5 },
  { dialect: 'codex', tool: 'apply_patch', input: { input: PATCH }, output: 'Success. Updated the following files:\nA p.txt\n' },
  { dialect: 'codex', tool: 'shell', input: { command: ['cat', 'a.txt'] }, output: /^Exit code: 0\nWall time: .*\nOutput:\nhello\n$/u },
  { dialect: 'gemini-cli', tool: 'read_file', input: { file_path: 'a.txt' }, output: 'hello\n' },
  { dialect: 'gemini-cli', tool: 'run_shell_command', input: { command: 'cat a.txt' }, output: 'Output: hello' },
  { dialect: 'opencode', tool: 'read', input: { filePath: 'a.txt' }, output: '1: hello\n' },
  { dialect: 'opencode', tool: 'apply_patch', input: { patchText: PATCH }, output: 'Success. Updated the following files:\nA p.txt\n' },
];

const place = (): Promise<Place> => makePlace({ 'a.txt': 'hello\n', 'big.txt': 'x'.repeat(1_100_000) });
const named = ROWS.map((row) => [row.dialect, row.tool, String(row.output), row] as const);

describe('synapse call --dialect', () => {
  it.each(named)('%s %s: %s', async (_dialect, _tool, _output, row) => {
    const granted = row.allowed === false ? [] : ['--yes'];
    const { code, out, err } = await runCli(await place(), ['call', row.tool, JSON.stringify(row.input), '--dialect', row.dialect, ...granted]);
    expect(out).toMatch(exactly(row.output));
    expect({ code, err }).toEqual({ code: row.exitCode ?? (row.isError === true ? 1 : 0), err: '' });
  });

  it('prints the value, the text and the canonical result as JSON', async () => {
    const { out } = await runCli(await place(), ['call', 'file_read', '{"path":"a.txt"}', '--dialect', 'ouroboros', '--json']);
    expect(JSON.parse(out)).toMatchObject({ value: 'hello\n', output: 'hello\n', isError: false, result: { ok: true, meta: { tool: 'read_file' } } });
  });
});

describe('connectHands(…).dialect', () => {
  it.each(named)('%s %s: %s', async (_dialect, _tool, _output, row) => {
    const { folder, environment } = await place();
    await using there = await remotePlace({
      root: folder,
      state: environment['XDG_STATE_HOME'] ?? '',
      allow: row.allowed === false ? [] : ['write', 'exec'],
    });
    const answer = await there.brain.dialect(row.dialect).call(row.tool, row.input);
    expect(answer.output).toMatch(exactly(row.output));
    expect(answer.isError).toBe(row.isError ?? false);
  });
});

describe('synapse mcp --dialect', () => {
  it.each(named)('%s %s: %s', async (_dialect, _tool, _output, row) => {
    const { client } = await connect(row.dialect, ...(row.allowed === false ? [] : ['--allow', 'write,exec']));
    const answer = await client.callTool({ name: row.tool, arguments: row.input as Record<string, unknown> });
    expect(answer.content).toEqual([{ type: 'text', text: expect.stringMatching(exactly(row.output)) }]);
    expect(answer.isError ?? false).toBe(row.isError ?? false);
  });

  it('offers the tools of the dialect', async () => {
    const { client } = await connect('claude-code', '--tools', 'Read,Bash');
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['Read', true],
      ['Bash', false],
    ]);
    await expect(client.callTool({ name: 'Write', arguments: { file_path: 'x', content: '' } })).rejects.toMatchObject({ code: -32602 });
  });

  it('shows a picture', async () => {
    const { client, folder } = await connect('claude-code', '--allow', 'write,exec');
    const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');
    await client.callTool({ name: 'Bash', arguments: { command: `printf %s ${png.toString('base64')} | base64 -d > p.png` } });
    expect(await readFile(join(folder, 'p.png'))).toEqual(png);
    const { content } = await client.callTool({ name: 'Read', arguments: { file_path: 'p.png' } });
    expect(content).toEqual([
      { type: 'text', text: '[Image: p.png]' },
      { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
    ]);
  });
});

it('reads outside the workspace by default as ouroboros does; secrets and writing stay out', async () => {
  const [here, other] = [await place(), await makePlace({ 'a.txt': 'hello', '.env': 'SECRET=1' })];
  const call = (tool: string, name: string, ...options: string[]) =>
    runCli(here, ['call', tool, JSON.stringify({ path: join(other.folder, name), content: 'x' }), '--dialect', 'ouroboros', ...options]);
  expect(await call('file_read', 'a.txt')).toMatchObject({ code: 0, out: 'hello' });
  expect(await call('file_read', 'a.txt', '--readable', here.folder)).toMatchObject({
    code: 3,
    out: expect.stringContaining('outside the workspace'),
  });
  const secret = await call('file_read', '.env');
  expect(secret.code).toBe(4);
  expect(secret.out + secret.err).not.toContain('SECRET=1');
  expect(await call('file_write', 'b.txt', '--yes')).toMatchObject({ code: 3, out: expect.stringContaining('outside the workspace') });
  expect(existsSync(join(other.folder, 'b.txt'))).toBe(false);
});

describe('a dialect that there is not', () => {
  it.each([[['call', 'read_file', '{"path":"a.txt"}']], [['tools']], [['mcp']]])('%s', async (words) => {
    const { code, out, err } = await runCli(await place(), [...words, '--dialect', 'opencod']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Did you mean opencode?');
    expect(err).toContain('The dialects are: synapse-readonly, synapse, ');
  });
});

it('lists the tools of a dialect', async () => {
  const table = await runCli(await place(), ['tools', '--dialect', 'synapsis']);
  expect(table.out).toMatch(/^bash +ask +\S/mu);
  const json = await runCli(await place(), ['tools', '--dialect', 'anthropic', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ tools: [{ name: 'bash', native: { definition: { type: 'bash_20250124' } } }, { name: EDITOR }] });
});

function exactly(output: string | RegExp): RegExp {
  return typeof output === 'string' ? new RegExp(`^${RegExp.escape(output)}$`, 'u') : output;
}

async function connect(dialect: string, ...words: string[]): Promise<{ client: Client; folder: string }> {
  const { folder, environment } = await place();
  const client = new Client({ name: 'e2e', version: '0' });
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', '--workspace', folder, '--dialect', dialect, ...words],
      env: environment as Record<string, string>,
      stderr: 'inherit',
    }),
  );
  return { client, folder };
}
