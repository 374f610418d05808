import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startChatServer, type ChatBody, type Scripted } from '../agent/scripted-chat.ts';
import { CLI, makePlace, runCli, startCli, outcome } from './run-cli.ts';
import { talk } from './talk.ts';

const FILES = { 'a.txt': 'alpha\n', 'README.md': '# Thing\n' };
const call = (id: string, name: string, input: unknown): Scripted => ({ kind: 'calls', calls: [{ id, name, input: JSON.stringify(input) }] });
const say = (text: string): Scripted => ({ kind: 'text', text });

async function scripted(script: (body: ChatBody, index: number) => Scripted) {
  const server = await startChatServer(script);
  return { server, model: ['--base-url', server.url, '--model', 'scripted'] };
}

it('runs a task, streams the words to stdout and the rest to stderr', async () => {
  const place = await makePlace(FILES);
  const { server, model } = await scripted((_, index) => (index === 0 ? call('1', 'read_file', { path: 'a.txt' }) : say('It says alpha.')));
  await using _server = server;
  const { code, out, err } = await runCli(place, ['run', 'What does a.txt say?', ...model]);
  expect([code, out]).toEqual([0, 'It says alpha.\n']);
  expect(err).toContain('✓ read_file(a.txt)');
  expect(err).toContain('1 call · 2 turns · 220 tokens');
});

it('prints the result or each event as JSON', async () => {
  const place = await makePlace(FILES);
  const { server, model } = await scripted(() => say('Hello.'));
  await using _server = server;
  const whole = await runCli(place, ['run', 'Hi', ...model, '--json']);
  expect(JSON.parse(whole.out)).toMatchObject({ status: 'done', text: 'Hello.' });
  const events = await runCli(place, ['run', 'Hi', ...model, '--jsonl']);
  const types = events.out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect([types[0], types.at(-1)]).toEqual(['session', 'done']);
});

it('keeps an interrupted session, lists it, and goes on with it without repeating a call', async () => {
  const place = await makePlace(FILES);
  const waiting = Promise.withResolvers<void>();
  const { server, model } = await scripted((_, index) => {
    if (index === 0) return call('1', 'run_command', { command: 'echo x >> count.txt; sleep 60' });
    if (index === 1) return say('Resumed.');
    return say('');
  });
  await using _server = server;
  const child = startCli(place, ['run', 'Count', ...model, '--yes']);
  child.stderr?.on('data', (chunk: Buffer) => {
    if (chunk.includes('Session')) waiting.resolve();
  });
  const ending = outcome(child);
  await waiting.promise;
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  const stopped = await ending;
  expect(stopped.code).toBe(130);
  const id = /synapse resume (?<id>s-[0-9a-f]+)/u.exec(stopped.err)?.groups?.['id'] ?? '';
  const listed = await runCli(place, ['sessions', '--json']);
  expect(JSON.parse(listed.out)).toMatchObject({ sessions: [{ id, status: 'cancelled', task: 'Count' }] });
  const resumed = await runCli(place, ['resume', id.slice(0, 8)]);
  expect([resumed.code, resumed.out]).toEqual([0, 'Resumed.\n']);
  const count = await readFile(join(place.folder, 'count.txt'), 'utf8').catch(() => '');
  expect(count.length).toBeLessThanOrEqual(2);
  const exported = await runCli(place, ['sessions', 'export', id.replace(/^s-/u, '')]);
  const roles = exported.out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => (JSON.parse(line) as { role: string }).role);
  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant']);
});

it('tells which jobs ended with the run, and what becomes of their changes', async () => {
  const place = await makePlace(FILES);
  const commands = [
    { command: 'echo on; exec sleep 600', background: true },
    { command: 'echo x > made.txt; echo made; exec sleep 600', yield_ms: 200 },
  ];
  const { server, model } = await scripted((body, index) => {
    const input = commands[index];
    if (input !== undefined) return call(String(index), 'run_command', input);
    // On a busy machine the second command is slower than the time after which it is a job.
    const id = JSON.stringify(body)
      .match(/job-[0-9a-f]+/gu)
      ?.at(-1);
    return index === commands.length ? call(String(index), 'job', { action: 'wait', id, pattern: '^made$' }) : say('Both run.');
  });
  await using _server = server;
  const { code, err } = await runCli(place, ['run', 'Start it', ...model, '--yes']);
  expect(code).toBe(0);
  expect(err).toMatch(/^job-\S+ still ran, and was ended with this run: echo on; exec sleep 600\. Its output: synapse jobs output job-/mu);
  expect(err).toMatch(/^job-\S+ still ran, and was ended with this run: echo x > made\.txt; echo made; exec sleep 600\./mu);
  const handle = /No changes were applied.*synapse changes pending (?<handle>c-[0-9a-f]+)/u.exec(err)?.groups?.['handle'];
  expect(existsSync(join(place.folder, 'made.txt'))).toBe(false);
  expect((await runCli(place, ['changes', 'pending'])).out).toContain(handle);
  expect((await runCli(place, ['jobs'])).err).toContain(handle);
});

it('says nothing of a job that had ended', async () => {
  const place = await makePlace(FILES);
  const { server, model } = await scripted((body, index) => {
    if (index === 0) return call('1', 'run_command', { command: 'sleep 1', background: true });
    const id = /job-[0-9a-f]+/u.exec(JSON.stringify(body))?.[0] ?? 'none';
    return index === 1 ? call('2', 'job', { action: 'wait', id }) : say('Done.');
  });
  await using _server = server;
  const { err } = await runCli(place, ['run', 'Start it', ...model, '--yes']);
  expect(err).toContain('✓ job(wait');
  expect(err).not.toContain('was ended with this run');
});

it('follows a protocol of the project, and marks what was claimed and not read', async () => {
  const place = await makePlace(FILES);
  const report = '---\nattribution:\n  files_read: [secret.txt]\n  tool_calls: {read_file: 1}\n  confidence: high\n---\n\nDone.\n';
  const { server, model } = await scripted((_, index) => (index === 0 ? call('1', 'git_status', {}) : say(report)));
  await using _server = server;
  const { code, out, err } = await runCli(place, ['run', '--protocol', 'review-changes', ...model]);
  expect([code, out]).toEqual([0, report]);
  expect(err).toContain('Step 1/5  List the changes');
  expect(err).toContain('Claimed but not read by any call: secret.txt');
  const missing = await runCli(place, ['run', '--protocol', 'nope', ...model]);
  expect([missing.code, missing.err]).toEqual([5, expect.stringContaining('review-changes')]);
});

it.each([
  [['run', 'Hi'], 'No model given.'],
  [['run', 'Hi', '-m', 'gpt-9'], 'Unknown model provider: "gpt-9"'],
  [['run', 'Hi', '-m', 'openai/gpt-9'], 'No API key for openai.'],
  [['run', 'Hi', '-m', 'x', '--base-url', 'ftp://x'], 'Invalid base URL'],
  [['run', '-m', 'x'], 'No task given.'],
  [['run', '-p', 'review-changes', '--image', 'a.png'], 'No task for --image.'],
  [['run', 'Hi', '-m', 'x', '--base-url', 'http://127.0.0.1:9/v1', '--max-cost', '1'], 'No price for --max-cost.'],
  [['resume', 's-gone'], 'Session not found: s-gone'],
])('says in one sentence what to set: %o', async (words, message) => {
  const { code, out, err } = await runCli(await makePlace(FILES), words);
  expect(code).not.toBe(0);
  expect(out).toBe('');
  expect(err).toContain(message);
  expect(err).not.toContain('    at ');
});

it('pauses where the server cannot be reached, and says how to go on', async () => {
  const place = await makePlace(FILES);
  // A port that nothing listens on: this server was there and is gone.
  const { server, model } = await scripted(() => say(''));
  await server[Symbol.asyncDispose]();
  const { code, err } = await runCli(place, ['run', 'Hi', ...model]);
  expect(code).toBe(1);
  expect(err).toMatch(/Model not reachable[\s\S]*synapse resume s-/u);
});

it('chats over several turns, shows and undoes changes', async () => {
  const place = await makePlace(FILES);
  const { server, model } = await scripted((_, index) =>
    index === 0 ? call('1', 'write_file', { path: 'b.txt', content: 'beta\n' }) : say(`Turn ${index}.`),
  );
  await using _server = server;
  const { code, out, err } = await runCli(
    place,
    ['chat', ...model, '--allow', 'write'],
    'Write b.\n/changes\n/approve\n/undo\n/help\tme\nconstructor is missing\n/nope\n/quit\n',
  );
  expect(code).toBe(0);
  expect(out).toContain('Turn 1.');
  expect(out).toContain('+beta');
  expect(out).toContain('Turn 2.');
  expect(err).toContain('Unknown command: /nope');
  expect(err).toContain('Nothing waits for a yes.');
  await expect(readFile(join(place.folder, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('asks in a chat at a terminal, takes the answer for nothing else, and undoes what this chat changed', async () => {
  const place = await makePlace(FILES);
  await runCli(place, ['call', 'write_file', '{"path":"other.txt","content":"of another session"}', '--yes']);
  const { server, model } = await scripted((_, index) =>
    index === 0 ? call('1', 'write_file', { path: 'b.txt', content: 'beta\n' }) : say(`Turn ${index}.`),
  );
  await using _server = server;
  const { code, screen } = await talk(
    place,
    model,
    [
      ['> ', 'Write b.\r'],
      ['n  no', 'y\r'],
      ['> ', '/changes\r'],
      ['> ', '/undo\r'],
      ['> ', '/undo\r'],
      ['Nothing to undo', '\u0003'],
      ['Ctrl-D ends', 'And now?\r'],
      ['> ', '\u0004'],
    ],
    'chat',
  );
  expect(code, screen).toBe(0);
  expect(server.requests).toHaveLength(3);
  expect(screen).toContain('+beta');
  expect(screen).toContain('Turn 2.');
  await expect(readFile(join(place.folder, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readFile(join(place.folder, 'other.txt'), 'utf8')).toBe('of another session');
});

/** Where there is none, a command does not run before it is asked about. */
const hasSandbox = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].some((path) => existsSync(path));

it.skipIf(!hasSandbox)('applies what waits in a chat as a change of that chat', async () => {
  const place = await makePlace(FILES);
  const { server, model } = await scripted((_, index) => (index === 0 ? call('1', 'run_command', { command: 'echo beta > b.txt' }) : say('Waits.')));
  await using _server = server;
  const child = startCli(place, ['chat', ...model]);
  const ending = outcome(child);
  const { promise: shown, resolve: show } = Promise.withResolvers<string>();
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    const handle = /Apply with: \/approve (?<handle>\S+)\n/u.exec(said)?.groups?.['handle'];
    if (handle !== undefined) show(handle);
  });
  child.stdin?.write('Make b.\n/approve\n');
  const handle = await shown;
  child.stdin?.end(`/approve ${handle}\n/changes\n/undo\n/undo\n/quit\n`);
  const { code, out, err } = await ending;
  expect(code, err).toBe(0);
  expect(out).toContain('+beta');
  expect(err).toContain('1 change undone');
  expect(err).toContain('Nothing to undo.');
  await expect(readFile(join(place.folder, 'b.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('prints the system prompt with a count of each part', async () => {
  const place = await makePlace({ ...FILES, 'AGENTS.md': 'Use tabs.\n' });
  const { code, out, err } = await runCli(place, ['prompt', '--protocol', 'project-resurrection']);
  expect(code).toBe(0);
  for (const part of ['# Environment', 'read_file(path', 'Deep Project Analysis', 'Use tabs.']) expect(out).toContain(part);
  expect(err).toMatch(/tools\s+~\d+ tokens/u);
});

it('includes the instructions of the folder that it is started in', async () => {
  const place = await makePlace({ ...FILES, 'AGENTS.md': 'Use tabs.\n' });
  for (const folder of ['inner/deep', 'other']) await mkdir(join(place.folder, folder), { recursive: true });
  await writeFile(join(place.folder, 'inner/CLAUDE.md'), 'Use spaces.\n');
  await writeFile(join(place.folder, 'other/AGENTS.md'), 'Use both.\n');
  const words = [CLI, 'prompt', '--workspace', place.folder];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: join(place.folder, 'inner/deep'), env: place.environment });
  expect(stdout).toMatch(
    /from AGENTS\.md of the workspace: [^\n]+\]\nUse tabs\.\n\[End[^\n]+\]\n\n\[Data \w+ from inner\/CLAUDE\.md of the workspace: [^\n]+\]\nUse spaces\./u,
  );
  expect(stdout).not.toContain('Use both.');
});
