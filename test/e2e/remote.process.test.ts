import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { going } from './going.ts';
import { CLI, makePlace, outcome, runCli, startCli, type Place } from './run-cli.ts';

let place: Place;

beforeAll(async () => {
  place = await makePlace({ 'a.txt': 'hello\n' });
});

/** The words of a printed command line: those in quotes are one, as in a shell. */
const wordsOf = (line: string): string[] => Array.from(line.matchAll(/'([^']*)'|(\S+)/gu), ([, quoted, bare]) => quoted ?? bare ?? '').slice(1);

/** A port at which nothing listens. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it('the two lines that a relay prints work as they are, and a call id runs once', { timeout: 120_000 }, async () => {
  await using relay = going(place, ['relay', '--dev', '--port', '0']);
  const call = wordsOf(await relay.said(/^synapse call /u));
  const url = await relay.said(/^ws:/u);
  await using machine = going(place, wordsOf(await relay.said(/^synapse connect /u)));
  await machine.said(/^Connected/u);
  expect(await runCli(place, call)).toMatchObject({ code: 0, out: expect.stringContaining('a.txt') as string });

  const read = ['call', 'read_file', '{"path":"a.txt"}', '--remote', `${url}#laptop`, '--json', '--call-id', 'one'];
  const first = await runCli(place, read);
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out)).toMatchObject({ ok: true, output: expect.stringContaining('hello') as string });
  // Run again, it would answer what is there now.
  await writeFile(join(place.folder, 'a.txt'), 'changed\n');
  const again = await runCli(place, read);
  await writeFile(join(place.folder, 'a.txt'), 'hello\n');
  expect(JSON.parse(again.out)).toEqual(JSON.parse(first.out));
  const otherwise = await runCli(place, ['call', 'read_file', '{"path":"b.txt"}', ...read.slice(3)]);
  expect(JSON.parse(otherwise.out)).toMatchObject({ ok: false, error: { code: 'conflict' } });
  // The wrong call has not taken the id from the first one.
  expect(JSON.parse((await runCli(place, read)).out)).toEqual(JSON.parse(first.out));

  const write = ['call', 'write_file', '{"path":"a.txt","content":"far"}', '--remote', `${url}#laptop`, '--json'];
  expect((await runCli(place, write)).code).toBe(4);
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('hello\n');
});

it('stdout has answers of a dialect, and no errors of the call itself', { timeout: 120_000 }, async () => {
  await using relay = going(place, ['relay', '--dev', '--port', '0']);
  const url = `${await relay.said(/^ws:/u)}#desk`;
  await using machine = going(place, ['connect', url]);
  await machine.said(/^Connected/u);
  const read = (dialect: string, path: string) =>
    runCli(place, ['call', 'Read', JSON.stringify({ file_path: path }), '--dialect', dialect, '--remote', url, '--call-id', path]);
  expect(await read('claude-code', 'missing.txt')).toMatchObject({ code: 5, out: expect.stringContaining('File not found') as string, err: '' });
  const meant = expect.stringContaining('Did you mean claude-code?') as string;
  expect(await read('claude-cod', 'other.txt')).toMatchObject({ code: 2, out: '', err: meant });
  // The same id, of another call.
  expect(await read('claude-cod', 'missing.txt')).toMatchObject({ code: 1, out: '' });
  expect(await runCli(place, ['tools', '--dialect', 'claude-cod', '--remote', url])).toMatchObject({ code: 2, out: '', err: meant });
});

it('what was changed far away is listed and taken back from here, as far as that machine allows', { timeout: 120_000 }, async () => {
  const far = await makePlace({ 'a.txt': 'hello\n' });
  await using relay = going(far, ['relay', '--dev', '--port', '0']);
  const url = `${await relay.said(/^ws:/u)}#desk`;
  const change = ['call', 'write_file', '{"path":"a.txt","content":"far"}', '--remote', url];
  const undo = ['undo', '--remote', url, '--yes'];
  {
    await using machine = going(far, ['connect', url, '--allow', 'write']);
    await machine.said(/^Connected/u);
    expect(await runCli(place, ['changes', '--remote', url])).toMatchObject({ code: 0, out: '' });
    expect(await runCli(place, change)).toMatchObject({ code: 0 });
    expect(await runCli(place, ['changes', '--remote', url])).toMatchObject({ code: 0, out: 'changed a.txt\n' });
    const undone = await runCli(place, undo);
    expect(undone).toMatchObject({ code: 0, err: expect.stringContaining('restore a.txt') as string });
    expect(await readFile(join(far.folder, 'a.txt'), 'utf8')).toBe('hello\n');
    expect(await runCli(place, undo)).toMatchObject({ code: 5, err: expect.stringContaining('Nothing to undo.') as string });
    expect(await runCli(place, change)).toMatchObject({ code: 0 });
  }
  await using machine = going(far, ['connect', url]);
  await machine.said(/^Connected/u);
  expect(await runCli(place, undo)).toMatchObject({ code: 4 });
  expect(await readFile(join(far.folder, 'a.txt'), 'utf8')).toBe('far');
});

it('serves a bare WebSocket server that knows only calls and results', { timeout: 60_000 }, async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  try {
    await once(server, 'listening');
    const connection = once(server, 'connection') as Promise<[WebSocket]>;
    await using machine = going(place, [
      'connect',
      `ws://127.0.0.1:${(server.address() as AddressInfo).port}/agents/room`,
      '--dialect',
      'synapse-readonly',
    ]);
    const [socket] = await connection;
    const answer = once(socket, 'message') as Promise<[Buffer]>;
    socket.send(JSON.stringify({ type: 'tool_call', tool: 'read_file', id: 'x', arguments: { path: 'a.txt' } }));
    const [said] = await answer;
    expect(JSON.parse(said.toString())).toEqual({ type: 'tool_result', tool_call_id: 'x', status: 'success', output: 'hello\n' });
    expect(machine.lines.filter((line) => line.startsWith('Error'))).toEqual([]);
  } finally {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

it('says in one line that a relay is not there, and tries again', { timeout: 60_000 }, async () => {
  const url = `ws://127.0.0.1:${await deadPort()}`;
  await using machine = going(place, ['connect', url, '--name', 'desk']);
  expect(await machine.said(/Trying again/u)).toMatch(
    /^Nothing listens there\. Start the relay, or check host and port\. Trying again in \d+\.\d s\.$/u,
  );
  await using agent = going(place, ['call', 'read_file', '{"path":"a.txt"}', '--remote', `${url}#desk`]);
  expect(await agent.said(/Trying again/u)).toBe('Nothing listens there. Start the relay, or check host and port. Trying again.');
});

it.each([
  ['connect', ['connect', 'http://127.0.0.1:1']],
  ['connect with a name', ['connect', 'nonsense', '--name', 'desk']],
  ['call', ['call', 'read_file', '{"path":"a.txt"}', '--remote', 'http://127.0.0.1:1#desk']],
  ['call without a session', ['call', 'read_file', '{"path":"a.txt"}', '--remote', 'ws://127.0.0.1:1']],
  ['call with a session that cannot be decoded', ['call', 'read_file', '{"path":"a.txt"}', '--remote', 'ws://127.0.0.1:1#%zz']],
])('refuses a wrong URL: %s', async (_, words) => {
  const { code, out, err } = await runCli(place, words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^Error: .*(URL|name)/u);
  expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
});

it('a command far away shows its output while it runs, and ends with its reader or Ctrl-C', { timeout: 180_000 }, async () => {
  await using relay = going(place, ['relay', '--dev', '--port', '0']);
  const url = `${await relay.said(/^ws:/u)}#build`;
  await using machine = going(place, ['connect', url, '--allow', 'exec,write']);
  await machine.said(/^Connected/u);
  const far = (command: string): string[] => ['call', 'run_command', JSON.stringify({ command, timeout_ms: 120_000 }), '--remote', url];

  const marker = `601.${randomInt(1_000_000, 9_999_999)}`;
  const running = (): boolean => spawnSync('pgrep', ['-x', '-f', `sleep ${marker}`]).status === 0;
  const child = startCli(place, far(`echo first; touch left.txt; sleep ${marker}; echo last`));
  const result = outcome(child);
  const [seen] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  expect(seen.toString()).toBe('first\n');
  await vi.waitFor(() => expect(running()).toBe(true), { timeout: 60_000 });
  child.kill('SIGINT');
  expect(await result).toMatchObject({ code: 130, out: 'first\n' });
  await vi.waitFor(() => expect(running()).toBe(false), { timeout: 60_000 });

  const whole = await runCli(place, far('seq 1 200000; exit 3'));
  expect([whole.code, whole.out === Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join('')]).toEqual([1, true]);

  const script = `"$0" "$@" | head -c 4; echo "\${PIPESTATUS[0]}"`;
  const piped = spawnSync('bash', ['-c', script, process.execPath, CLI, ...far(`(exec -a ${marker} yes)`)], {
    cwd: place.folder,
    env: place.environment,
    encoding: 'utf8',
  });
  expect([piped.stdout, piped.stderr]).toEqual(['y\ny\n141\n', expect.stringContaining('the call was ended as well')]);
  await vi.waitFor(() => expect(spawnSync('pgrep', ['-f', `^${marker}`]).status).toBe(1), { timeout: 60_000 });
});
