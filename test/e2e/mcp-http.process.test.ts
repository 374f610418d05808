import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makePlace, runCli } from './run-cli.ts';
import { startHttp, type HttpServer } from './start-http.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

async function connect({ url, token }: HttpServer): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '0' }, { versionNegotiation: { mode: 'auto' } });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return client;
}

async function tokenFile(mode = 0o600): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'synapse-')), 'token');
  await writeFile(path, `${TOKEN}\n`);
  await chmod(path, mode);
  return path;
}

it('reads, refuses to change what was not allowed, and ends well when it is asked to', async () => {
  await using server = await startHttp([], { 'a.txt': 'hello\n' });
  const client = await connect(server);
  expect(await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })).toMatchObject({
    content: [{ text: expect.stringMatching(/^\[lines 1-1 of 1; version \w+\.\]\nhello\n$/u) as string }],
  });
  const refused = await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: '' } });
  expect(refused).toMatchObject({ isError: true, _meta: { 'synapse/code': 'approval_required' } });
  expect(await server.stop()).toBe(143);
});

it('ends while a command runs, and kills it with all it started', async () => {
  await using server = await startHttp(['--allow', 'exec', '--sandbox', 'none']);
  const client = await connect(server);
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const command = 'echo $$ > pid; echo begun; sleep 60 & sleep 60';
  const call = client.callTool({ name: 'run_command', arguments: { command } }, { onprogress: () => resolve() });

  await begun;
  const pid = Number(await readFile(join(server.place.folder, 'pid'), 'utf8'));
  expect(() => process.kill(pid, 0)).not.toThrow();
  await server.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  // Told, not left to wait.
  expect(await call).toMatchObject({ isError: true, _meta: { 'synapse/code': 'cancelled' } });
});

it('never tells the token: not on its streams, not in its arguments, not in the records', async () => {
  await using server = await startHttp();
  const client = await connect(server);
  await client.callTool({ name: 'list_directory', arguments: {} });
  await fetch(server.url, { headers: { authorization: `Bearer ${server.token}x` } });
  const audit = await client.readResource({ uri: 'synapse://audit' });
  await server.stop();
  expect(server.token).toMatch(/^[0-9a-f]{64}$/u);
  expect(server.told() + server.url + JSON.stringify(audit)).not.toContain(server.token);
});

it('keeps its token for the next start, and tells where the port is taken', async () => {
  await using first = await startHttp();
  const { code, out, err } = await runCli(first.place, ['mcp', '--http', '--port', new URL(first.url).port]);
  expect([code, out, err]).toEqual([1, '', expect.stringContaining('the port is in use')]);
  await first.stop();
  await using second = await startHttp([], {}, first.place);
  expect(second.token).toBe(first.token);
});

it('offers only the resources whose tools are offered', async () => {
  await using server = await startHttp(['--tools', 'list_directory']);
  const client = await connect(server);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['synapse://audit']);
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual(['audit-newest']);
  // Others work here, too, with tools that this client is not offered.
  await runCli(server.place, ['call', 'file_info', '{"path":"."}']);
  await client.callTool({ name: 'list_directory', arguments: {} });
  for (const uri of ['synapse://audit', 'synapse://audit/newest/9']) {
    const [content] = (await client.readResource({ uri })).contents;
    expect(content).toMatchObject({ text: expect.stringContaining('"tool":"list_directory"') });
    expect(content).toMatchObject({ text: expect.not.stringContaining('file_info') });
  }
});

it('serves a dialect', async () => {
  await using server = await startHttp(['--dialect', 'ouroboros'], { 'a.txt': 'hello\n' });
  const client = await connect(server);
  expect(await client.callTool({ name: 'file_read', arguments: { path: 'a.txt' } })).toMatchObject({ content: [{ text: 'hello\n' }] });
});

it.each<[string, () => Promise<string[]>, number, string]>([
  ['a token file that others can read', async () => ['--token-file', await tokenFile(0o644)], 3, 'chmod 600'],
  ['a token file that is not there', async () => ['--token-file', '/nowhere/token'], 5, 'does not exist'],
  ['a port that is none', async () => ['--port', '70000'], 2, '0 to 65535'],
  ['an origin that is none', async () => ['--allow-origin', 'app.example'], 2, 'https://app.example'],
  ['an origin with a path', async () => ['--allow-origin', 'https://app.example/x'], 2, 'https://app.example'],
  ['a tool that there is not', async () => ['--port', '0', '--tools', 'read_fil'], 2, 'Did you mean read_file'],
  ['a host that this machine is not', async () => ['--port', '0', '--host', '192.0.2.1'], 1, 'no such address'],
])('refuses %s', async (_, words, code, says) => {
  const place = await makePlace();
  const outcome = await runCli(place, ['mcp', '--http', ...(await words())]);
  expect(outcome.err).toContain(says);
  expect([outcome.code, outcome.out]).toEqual([code, '']);
});

it('refuses a token file in the workspace: every tool could read it', async () => {
  const place = await makePlace({ token: TOKEN });
  await chmod(join(place.folder, 'token'), 0o600);
  const { code, err } = await runCli(place, ['mcp', '--http', '--token-file', 'token']);
  expect([code, err]).toEqual([3, expect.stringContaining('is in the workspace')]);
});

it.each([[['--port', '1']], [['--host', 'x']], [['--token-file', 'x']], [['--allow-origin', 'http://x']]])(
  'refuses %s without --http',
  async (words) => {
    const { code, err } = await runCli(await makePlace(), ['mcp', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(`${words[0]} is for --http`)]);
  },
);

it('warns where other machines can reach it', async () => {
  await using server = await startHttp(['--host', '0.0.0.0']);
  expect(server.told()).toContain('plain HTTP');
});
