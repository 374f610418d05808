import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawn } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readFile, readdir, readlink, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI, makePlace, outcome, runCli, type Place } from './run-cli.ts';

interface HomePlace extends Place {
  readonly home: string;
}

async function makeHome(): Promise<HomePlace> {
  const place = await makePlace({ 'a.txt': 'hello\n' });
  const home = await realpath(await mkdtemp(join(tmpdir(), 'synapse-home-')));
  return { ...place, folder: await realpath(place.folder), home, environment: { ...place.environment, HOME: home } };
}

const install = (client: string, ...words: string[]): string[] => ['mcp', 'install', '--client', client, ...words];

/** The command of a configuration file, as the client that owns it reads it. */
interface Started {
  readonly command: string;
  readonly args: readonly string[];
}
const under =
  (key: string) =>
  (text: string): Started =>
    (JSON.parse(text) as Record<string, { synapse: Started }>)[key]?.synapse ?? { command: '', args: [] };
const opencode = (text: string): Started => {
  const [command = '', ...args] = (JSON.parse(text) as { mcp: { synapse: { command: string[] } } }).mcp.synapse.command;
  return { command, args };
};
/** The strings and lists that are written are the same in TOML and in JSON. */
const codex = (text: string): Started => {
  const field = (name: string): unknown => JSON.parse(new RegExp(`^${name} = (.*)$`, 'mu').exec(text)?.[1] ?? 'null');
  expect(text).toContain('[mcp_servers.synapse]\n');
  return { command: String(field('command')), args: field('args') as string[] };
};

describe('synapse mcp install', () => {
  it.each<[string, string, (text: string) => Started]>([
    ['claude-code', '.mcp.json', under('mcpServers')],
    ['cursor', '.cursor/mcp.json', under('mcpServers')],
    ['vscode', '.vscode/mcp.json', under('servers')],
    ['codex', '.codex/config.toml', codex],
    ['gemini', '.gemini/settings.json', under('mcpServers')],
    ['opencode', 'opencode.json', opencode],
    ['zed', '.zed/settings.json', under('context_servers')],
    ['qwen', '.qwen/settings.json', under('mcpServers')],
  ])('writes a command for %s that names no place of this machine, and takes it back', async (name, file, read) => {
    const place = await makeHome();
    const before = await readdir(place.folder);
    expect(await runCli(place, install(name, '--yes', '--allow', 'write', '--tools', 'read_file,write_file'))).toMatchObject({ code: 0, out: '' });
    const text = await readFile(join(place.folder, file), 'utf8');
    expect(text).not.toContain(place.folder);
    expect(text).not.toContain(CLI);
    const { command, args } = read(text);
    expect([command, ...args]).toEqual(['synapse', 'mcp', '--allow', 'write', '--tools', 'read_file,write_file']);
    const bin = await mkdtemp(join(tmpdir(), 'synapse-bin-'));
    await symlink(CLI, join(bin, 'synapse'));
    const client = new Client({ name: 'e2e', version: '0' });
    onTestFinished(() => client.close());
    const env = { PATH: `${bin}:${dirname(process.execPath)}`, HOME: place.home, XDG_STATE_HOME: String(place.environment['XDG_STATE_HOME']) };
    await client.connect(new StdioClientTransport({ command, args: [...args], env, cwd: place.folder }));
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['read_file', 'write_file']);
    expect(await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'new\n' } })).not.toHaveProperty('isError');
    expect(await readFile(join(place.folder, 'b.txt'), 'utf8')).toBe('new\n');
    await client.close();
    expect((await runCli(place, install(name, '--yes', '--allow', 'write', '--tools', 'read_file,write_file'))).err).toContain('nothing to do');
    expect(await runCli(place, install(name, '--undo', '--yes'))).toMatchObject({ code: 0 });
    expect((await readdir(place.folder)).toSorted()).toEqual([...before, 'b.txt'].toSorted());
  });

  it.each<[string, string, (text: string) => Started]>([
    ['claude-code', '.claude.json', under('mcpServers')],
    ['claude-desktop', '.config/Claude/claude_desktop_config.json', under('mcpServers')],
    ['cursor', '.cursor/mcp.json', under('mcpServers')],
    ['vscode', '.config/Code/User/mcp.json', under('servers')],
    ['codex', '.codex/config.toml', codex],
    ['gemini', '.gemini/settings.json', under('mcpServers')],
    ['opencode', '.config/opencode/opencode.json', opencode],
    ['zed', '.config/zed/settings.json', under('context_servers')],
    ['cline', '.cline/data/settings/cline_mcp_settings.json', under('mcpServers')],
    ['qwen', '.qwen/settings.json', under('mcpServers')],
  ])('writes for %s in the home folder', async (name, file, read) => {
    const place = await makeHome();
    expect(await runCli(place, install(name, '--user', '--yes', '-w', '.'))).toMatchObject({ code: 0 });
    expect(read(await readFile(join(place.home, file), 'utf8'))).toEqual(
      expect.objectContaining({ command: process.execPath, args: [CLI, 'mcp', '--workspace', place.folder] }),
    );
    expect(await readdir(place.folder)).toEqual(['a.txt']);
  });

  it('leaves the folder to a client that starts servers in it, and asks for one where the client does not', async () => {
    const place = await makeHome();
    expect((await runCli(place, install('codex', '--user', '--yes'))).err).toContain('a tracked project');
    expect(codex(await readFile(join(place.home, '.codex/config.toml'), 'utf8')).args).toEqual([CLI, 'mcp']);
    const refused = await runCli(place, install('claude-desktop', '--yes'));
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain('--workspace');
  });

  it('shows the change and does nothing without a yes', async () => {
    const place = await makeHome();
    const asked = await runCli(place, install('claude-code'));
    expect(asked.code).toBe(4);
    expect(asked.err).toContain('+  "mcpServers": {');
    const { code, out } = await runCli(place, install('claude-code', '--json'));
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ client: 'claude-code', scope: 'project', status: 'install', done: false });
    expect(await readdir(place.folder)).toEqual(['a.txt']);
  });

  it.each([
    ['y\r', 0, true],
    ['n\r', 3, false],
  ])('asks at a terminal; %j', async (types, code, written) => {
    const place = await makeHome();
    const script = join(import.meta.dirname, 'terminal.py');
    const steps = JSON.stringify([['[y/N] ', types]]);
    const child = spawn('python3', [script, '24', '80', steps, process.execPath, CLI, ...install('claude-code')], {
      cwd: place.folder,
      env: { ...place.environment, NO_COLOR: '1', TERM: 'xterm' },
      stdio: 'pipe',
    });
    const { out } = await outcome(child);
    expect(out.trimEnd().split('\n').at(-1)).toBe(String(code));
    expect((await readdir(place.folder)).includes('.mcp.json')).toBe(written);
  });

  it('keeps everything else: mode, byte order mark, line ends, and no line end at the end', async () => {
    const place = await makeHome();
    const file = join(place.folder, '.mcp.json');
    const before = '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}';
    await writeFile(file, before);
    await chmod(file, 0o600);
    expect((await runCli(place, install('claude-code', '--yes'))).code).toBe(0);
    const after = await readFile(file, 'utf8');
    expect(after.startsWith('\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": {},\r\n\t\t"synapse": {\r\n\t\t\t"type": "stdio",\r\n')).toBe(true);
    expect(after.endsWith('\r\n\t}\r\n}')).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await runCli(place, install('claude-code', '--undo', '--yes'))).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(await readdir(place.folder)).toEqual(['.mcp.json', 'a.txt']);
  });

  it('says so where a link of the person leads elsewhere, and keeps the link', async () => {
    const place = await makeHome();
    const real = join(place.home, 'dotfiles.json');
    await writeFile(real, '{}\n');
    await symlink(real, join(place.home, '.claude.json'));
    const { code, err } = await runCli(place, install('claude-code', '--user', '--yes', '-w', '.'));
    expect(code).toBe(0);
    expect(err).toContain(`${real}, which ${join(place.home, '.claude.json')} is a link to`);
    expect(await readlink(join(place.home, '.claude.json'))).toBe(real);
    expect(await readFile(real, 'utf8')).toContain('synapse');
  });

  it.each([
    ['the file', async (place: HomePlace) => symlink(join(place.home, '.claude.json'), join(place.folder, '.mcp.json')), 'claude-code'],
    ['its folder', async (place: HomePlace) => symlink(place.home, join(place.folder, '.cursor')), 'cursor'],
  ])('follows no link of a project out of it: %s', async (_, link, client) => {
    const place = await makeHome();
    for (const name of ['.claude.json', 'mcp.json']) await writeFile(join(place.home, name), '{"mcpServers":{}}');
    await link(place);
    const { code, err } = await runCli(place, install(client, '--yes'));
    expect(code).toBe(3);
    expect(err).toContain('through a link');
    for (const name of ['.claude.json', 'mcp.json']) expect(await readFile(join(place.home, name), 'utf8')).toBe('{"mcpServers":{}}');
  });

  it.each([
    ['claude-code', '.mcp.json', '{\n  "mcpServers": {\n    "a": {} "b"\n', '.mcp.json:3:13:'],
    ['codex', '.codex/config.toml', 'a = 1\na = 2\n', 'config.toml:2:1:'],
    ['zed', '.zed/settings.json', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
  ])('leaves a malformed file of %s as it is and names the place', async (client, file, content, place_) => {
    const place = await makeHome();
    await mkdir(join(place.folder, file, '..'), { recursive: true });
    await writeFile(join(place.folder, file), content);
    const { code, err } = await runCli(place, install(client, '--yes'));
    expect(code).not.toBe(0);
    expect(err).toContain(place_);
    expect(await readFile(join(place.folder, file))).toEqual(Buffer.from(content));
  });

  it.each([
    [['--allow', 'everything'], '--allow does not know "everything"'],
    [['--dialect', 'nope'], 'Unknown dialect: "nope"'],
    [['--tools', 'read_fil'], 'Did you mean read_file'],
    [['--network', 'foo_bar'], 'so nothing was changed: "foo_bar" is no name of a host'],
  ])('writes no command that would not start: %j', async (words, message) => {
    const place = await makeHome();
    const { code, err } = await runCli(place, install('codex', '--user', '--yes', ...words));
    expect(code).toBe(1);
    expect(err).toContain(message);
    await expect(lstat(join(place.home, '.codex'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['is not there', 'none', 5, 'does not exist'],
    ['is a file', 'a.txt', 1, 'is not a folder'],
    ['is the home folder', '~', 3, 'cannot be a workspace'],
  ])('writes no workspace that %s', async (_, folder, code, message) => {
    const place = await makeHome();
    const workspace = folder === '~' ? place.home : folder;
    const result = await runCli(place, install('cursor', '--user', '--yes', '-w', workspace));
    expect(result).toMatchObject({ code });
    expect(result.err).toContain(message);
    expect((await runCli(place, install('cursor', '--yes', '-w', workspace))).code).toBe(code);
    await expect(lstat(join(place.home, '.cursor'))).rejects.toThrow('ENOENT');
  });

  it('says what is wrong where a file stands in the way', async () => {
    const place = await makeHome();
    await writeFile(join(place.folder, '.cursor'), 'x');
    await mkdir(join(place.folder, '.mcp.json'));
    for (const client of ['cursor', 'claude-code']) {
      const { code, err } = await runCli(place, install(client, '--yes'));
      expect([1, 5]).toContain(code);
      expect(err).toMatch(/is not a folder|is a folder/u);
      expect(err).toContain('Nothing was changed');
      expect(err).not.toContain('list_directory');
    }
  });

  it('writes folders that are named from here as the client finds them', async () => {
    const place = await makeHome();
    await mkdir(join(place.folder, 'more'));
    expect((await runCli(place, install('claude-code', '--yes', '--readable', 'more'))).code).toBe(0);
    expect(under('mcpServers')(await readFile(join(place.folder, '.mcp.json'), 'utf8')).args).toContain(join(place.folder, 'more'));
  });

  it('shows all of the command, also where the file is one long line', async () => {
    const place = await makeHome();
    await writeFile(join(place.folder, '.mcp.json'), JSON.stringify({ a: 'x'.repeat(3_000) }));
    const { code, err } = await runCli(place, install('claude-code', '--allow', 'write,exec'));
    expect(code).toBe(4);
    expect(err).toMatch(/It starts: .*"--allow" "write,exec"\n/u);
    expect((await runCli(place, install('cursor', '--allow', 'write,exec'))).err).not.toContain('It starts: ');
  });

  it('says of what is taken out that it is forgotten, and of a file that is not there that it is not', async () => {
    const place = await makeHome();
    const nothing = await runCli(place, install('zed', '--undo', '--yes'));
    expect(nothing.err).toContain('settings.json (not there)');
    expect((await runCli(place, install('zed', '--yes'))).code).toBe(0);
    const { out } = await runCli(place, install('zed', '--undo', '--yes', '--json'));
    expect(JSON.parse(out)).toMatchObject({ status: 'remove', done: true, after: 'Zed forgets the server when it starts again.' });
  });

  it('writes no path that the client would take for something else', async () => {
    const place = await makeHome();
    const folder = join(place.folder, '${HOME}');
    await mkdir(folder);
    const { code, err } = await runCli(place, install('claude-code', '--user', '--yes', '-w', folder));
    expect(code).toBe(2);
    expect(err).toContain('would replace a part of');
    await expect(lstat(join(place.home, '.claude.json'))).rejects.toThrow('ENOENT');
  });

  it.each<[string, string, string]>([
    ['claude-code', '.claude/settings.json', '"NotebookEdit"'],
    ['codex', '.codex/config.toml', 'shell_tool = false'],
    ['gemini', '.gemini/settings.json', '"mcp_synapse_*"'],
    ['opencode', 'opencode.json', '"synapse_*": "allow"'],
    ['vscode', '.github/agents/synapse.agent.md', "tools: ['synapse/*']"],
    ['cursor', '.cursor/cli.json', '"Shell(*)"'],
    ['zed', '~/.config/zed/settings.json', '"default_profile": "synapse"'],
  ])('--only turns the tools of %s off, shown and taken back', async (name, file, setting) => {
    const place = await makeHome();
    const target = file.startsWith('~/') ? join(place.home, file.slice(2)) : join(place.folder, file);
    const before = await readdir(place.folder);
    const asked = await runCli(place, install(name, '--only'));
    expect(asked).toMatchObject({ code: 4 });
    expect(asked.err).toContain(setting);
    await expect(lstat(target)).rejects.toThrow('ENOENT');
    expect(await runCli(place, install(name, '--only', '--yes'))).toMatchObject({ code: 0 });
    expect(await readFile(target, 'utf8')).toContain(setting);
    expect((await runCli(place, install(name, '--only', '--yes'))).err).toContain('nothing to do');
    expect(await runCli(place, install(name, '--undo', '--yes'))).toMatchObject({ code: 0 });
    expect(await readdir(place.folder)).toEqual(before);
    await expect(lstat(target)).rejects.toThrow('ENOENT');
  });

  it('leaves nothing that opencode would add to its file, which then would not be as it was installed', async () => {
    const place = await makeHome();
    expect(await runCli(place, install('opencode', '--yes'))).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(join(place.folder, 'opencode.json'), 'utf8'))).toHaveProperty('$schema');
    expect(await runCli(place, install('opencode', '--undo', '--yes'))).toMatchObject({ code: 0 });
    await expect(lstat(join(place.folder, 'opencode.json'))).rejects.toThrow('ENOENT');
    const theirs = '{ "$schema": "https://example.com/s.json" }';
    await writeFile(join(place.folder, 'opencode.json'), theirs);
    expect(await runCli(place, install('opencode', '--yes'))).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(join(place.folder, 'opencode.json'), 'utf8'))).toHaveProperty('$schema', 'https://example.com/s.json');
    expect(await runCli(place, install('opencode', '--undo', '--yes'))).toMatchObject({ code: 0 });
    expect(await readFile(join(place.folder, 'opencode.json'), 'utf8')).toBe(theirs);
  });

  it('gives every file back to the byte, and says what a client cannot turn off', async () => {
    const place = await makeHome();
    await mkdir(join(place.folder, '.claude'));
    const theirs = '{ "permissions": { "deny": ["Bash(rm *)"] },\n  "model": "x" }';
    await writeFile(join(place.folder, '.claude/settings.json'), theirs);
    await writeFile(join(place.folder, '.mcp.json'), '{}');
    const done = await runCli(place, install('claude-code', '--only', '--yes'));
    expect(done.err).toContain('Subagents stay');
    expect(await readFile(join(place.folder, '.claude/settings.json'), 'utf8')).toContain('["Bash(rm *)","Bash",');
    // Without --only the tools of the client come back.
    expect((await runCli(place, install('claude-code', '--yes'))).code).toBe(0);
    expect(await readFile(join(place.folder, '.claude/settings.json'), 'utf8')).toBe(theirs);
    expect((await runCli(place, install('claude-code', '--only', '--yes'))).code).toBe(0);
    expect((await runCli(place, install('claude-code', '--undo', '--yes'))).code).toBe(0);
    expect(await readFile(join(place.folder, '.claude/settings.json'), 'utf8')).toBe(theirs);
    expect(await readFile(join(place.folder, '.mcp.json'), 'utf8')).toBe('{}');
  });

  it('takes no file of somebody else for its own', async () => {
    const place = await makeHome();
    await mkdir(join(place.folder, '.github/agents'), { recursive: true });
    await writeFile(join(place.folder, '.github/agents/synapse.agent.md'), 'mine');
    const { code, err } = await runCli(place, install('vscode', '--only', '--yes'));
    expect(code).toBe(1);
    expect(err).toContain('File exists');
    await expect(lstat(join(place.folder, '.vscode'))).rejects.toThrow('ENOENT');
  });

  it('--http writes an address and no token', async () => {
    const place = await makeHome();
    const done = await runCli(place, install('gemini', '--http', '--port', '7500', '--allow', 'write', '--yes'));
    expect(done).toMatchObject({ code: 0 });
    expect(done.err).toContain('synapse mcp --http --port 7500 --workspace . --allow write');
    const written = JSON.parse(await readFile(join(place.folder, '.gemini/settings.json'), 'utf8')) as unknown;
    const headers = { Authorization: 'Bearer $SYNAPSE_MCP_TOKEN' };
    expect(written).toEqual({ mcpServers: { synapse: { httpUrl: 'http://127.0.0.1:7500/mcp', headers } } });
    expect((await runCli(place, install('zed', '--http', '--yes'))).code).toBe(2);
  });

  it.each([
    [['--client', 'curser'], 'Did you mean cursor?'],
    [[], 'It takes --client'],
    [['--client', 'claude-desktop', '--project'], 'It has --user'],
    [['--client', 'zed', '--project', '--user'], 'exclude each other'],
  ])('answers %j with what is valid', async (words, message) => {
    const { code, err } = await runCli(await makeHome(), ['mcp', 'install', ...words]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
