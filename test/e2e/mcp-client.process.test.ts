import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startOAuthServer } from '../../packages/hands/src/mcp-client/fixtures/oauth-server.ts';
import { makePlace, outcome, runCli, startCli, type Place } from './run-cli.ts';

const everything = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')), 'dist/index.js');
const SERVERS = JSON.stringify({ everything: { command: process.execPath, args: [everything] } });

/** A tracked place whose project names a server. */
async function placeWithServer(): Promise<Place> {
  const place = await makePlace({ '.mcp.json': `{ "mcpServers": ${SERVERS} }` });
  return { ...place, environment: { ...place.environment, XDG_CONFIG_HOME: join(place.environment['XDG_STATE_HOME'] ?? '', 'config') } };
}

it('starts a server of the project once its folder is trusted, and reaches its tools', async () => {
  const place = await placeWithServer();
  const call = ['call', 'mcp:everything:echo', '{"message":"hello"}'];
  const before = await runCli(place, [...call, '--yes']);
  expect(before).toMatchObject({ code: 1, out: '' });
  expect(before.err).toContain('synapse projects trust');
  expect(JSON.parse((await runCli(place, ['mcp', 'list', '--json'])).out)).toMatchObject({ servers: [{ name: 'everything', state: 'untrusted' }] });
  expect(await runCli(place, ['mcp', 'test'])).toMatchObject({ code: 1 });

  const asked = await runCli(place, ['projects', 'trust', '.']);
  expect(asked).toMatchObject({ code: 4, err: expect.stringContaining('MCP server everything') as string });
  expect(asked.err).toMatch(/runs "\S*node"/u);
  expect(asked.err).toContain('--yes');
  expect(await runCli(place, ['mcp', 'test'])).toMatchObject({ code: 1 });
  expect(await runCli(place, ['projects', 'trust', '.', '--yes'])).toMatchObject({ code: 0 });
  expect(await runCli(place, call)).toMatchObject({ code: 4 });
  expect(await runCli(place, [...call, '--yes'])).toMatchObject({ code: 0, out: 'Echo: hello' });
  expect(await runCli(place, [...call, '--allow', 'mcp'])).toMatchObject({ code: 0 });
  const list = await runCli(place, ['mcp', 'list']);
  expect(list).toMatchObject({ code: 0, err: '' });
  expect(list.out).toMatch(/^ready +everything +stdio +16 tools +[\d.]+ ms +\S*node +\S+\/\.mcp\.json\n$/u);
  const test = await runCli(place, ['mcp', 'test', 'everything']);
  expect(test).toMatchObject({ code: 0, err: '' });
  expect(test.out).toContain('mcp:everything:get-sum');
  const tools = await runCli(place, ['tools', '--mcp', '--format', 'openai']);
  expect(JSON.parse(tools.out)).toContainEqual(expect.objectContaining({ function: expect.objectContaining({ name: 'mcp__everything__echo' }) }));
  expect(await runCli(place, ['mcp', 'test', 'everythin'])).toMatchObject({ code: 5, err: expect.stringContaining('Did you mean everything') });
  expect(await runCli(place, ['mcp', 'approve', 'everything'])).toMatchObject({ code: 0, err: expect.stringContaining('holds nothing back') });
});

it('asks again when the project changes how a server is started', async () => {
  const place = await placeWithServer();
  await runCli(place, ['projects', 'trust', '.', '--yes']);
  await runCli(place, ['mcp', 'list']);
  await writeFile(join(place.folder, '.mcp.json'), `{ "mcpServers": { "everything": { "command": "touch", "args": ["${place.folder}/hacked"] } } }`);
  const test = await runCli(place, ['mcp', 'test', 'everything']);
  expect(test).toMatchObject({ code: 1, out: expect.stringContaining('synapse mcp approve everything') });
  const approve = await runCli(place, ['mcp', 'approve', 'everything']);
  expect(approve).toMatchObject({ code: 4, err: expect.stringContaining(`runs "touch" "${place.folder}/hacked"`) });
  expect(existsSync(join(place.folder, 'hacked'))).toBe(false);
});

it('leaves no server behind when it is killed in the middle of a call', async () => {
  const place = await placeWithServer();
  const user = join(place.environment['XDG_CONFIG_HOME'] ?? '', 'synapse');
  await mkdir(user, { recursive: true });
  const pidFile = join(place.folder, 'pid');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`;
  await writeFile(join(user, 'config.jsonc'), JSON.stringify({ mcp: { servers: { stuck: { command: process.execPath, args: ['-e', script] } } } }));
  const child = startCli(place, ['call', 'mcp:stuck:anything', '{}', '--yes']);
  const ended = once(child, 'exit');
  void outcome(child);
  let pid = 0;
  for (const deadline = performance.now() + 20_000; pid === 0 && performance.now() < deadline; await delay(10)) {
    pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
  }
  const runs = (): boolean => existsSync(`/proc/${pid}`) && !/\) [XZ]/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  expect(pid).toBeGreaterThan(0);
  expect(runs()).toBe(true);
  child.kill('SIGKILL');
  await ended;
  for (const deadline = performance.now() + 20_000; runs() && performance.now() < deadline;) await delay(10);
  expect(runs()).toBe(false);
});

it('logs in at a server that wants it, and keeps the tokens out of everything it prints', async () => {
  await using server = await startOAuthServer();
  const bare = await makePlace({});
  const config = join(bare.environment['XDG_STATE_HOME'] ?? '', 'config');
  const place = { ...bare, environment: { ...bare.environment, XDG_CONFIG_HOME: config } };
  await mkdir(join(config, 'synapse'), { recursive: true });
  await writeFile(join(config, 'synapse/config.jsonc'), JSON.stringify({ mcp: { servers: { guarded: { url: server.url } } } }));
  const before = await runCli(place, ['mcp', 'test', 'guarded']);
  expect(before).toMatchObject({ code: 1, out: expect.stringContaining('synapse mcp login guarded') });
  const child = startCli(place, ['mcp', 'login', 'guarded', '--print']);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    const address = /^http:\/\/127\.0\.0\.1\S*$/mu.exec((said += chunk.toString()))?.[0];
    if (address !== undefined && !said.includes('logged in')) void fetch(address);
  });
  const login = await outcome(child);
  expect(login).toMatchObject({ code: 0, err: expect.stringContaining('guarded is ready, with 1 of its tools') });
  const called = await runCli(place, ['call', 'mcp:guarded:secret', '{}', '--yes']);
  expect(called).toMatchObject({ code: 0, out: 'the secret' });
  expect(`${before.out}${login.out}${login.err}${called.err}`).not.toMatch(/access-|refresh-/u);
  expect(await runCli(place, ['mcp', 'logout', 'guarded'])).toMatchObject({ code: 0, err: 'The login at guarded is deleted.\n' });
  expect(await runCli(place, ['mcp', 'test', 'guarded'])).toMatchObject({ code: 1 });
});
