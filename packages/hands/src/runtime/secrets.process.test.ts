import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { networkLogFile, readNetworkLog } from '../sandbox/network/network-log.ts';
import { SecretStore } from '../secrets/secret-store.ts';
import { workspaceId } from '../state/state-folder.ts';
import { createHands } from './create-hands.ts';
import type { HandsOptions } from './hands-options.ts';

const VALUE = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';

/** A server that shows what it got, and hands that may reach it. */
async function open(rules: readonly string[], more: Partial<HandsOptions> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'synapse-secrets-'));
  const [workspace, stateFolder] = ['workspace', 'state'].map((name) => join(base, name)) as [string, string];
  mkdirSync(workspace);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end(JSON.stringify(request.headers));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const store = new SecretStore(stateFolder);
  const places = [{ scheme: 'http', host: 'localhost', port, as: { kind: 'bearer' } }] as const;
  await store.add({ name: 'TOKEN', also: [], texts: {}, places: [...places], value: VALUE, added: '2026-01-01' });
  const hands = await createHands({
    workspace,
    stateFolder,
    configFolder: join(base, 'config'),
    allow: ['exec', 'write'],
    policy: { allow: [...rules] },
    network: { domains: [`localhost:${port}`] },
    ...more,
  });
  return { hands, seen, store, stateFolder, workspace, url: `http://localhost:${port}` };
}

/** Everything in the state folder but the secrets themselves. */
function records(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name !== 'secrets.json');
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}

describe.skipIf((await findBubblewrap()) === undefined || !process.features.typescript)('secrets of calls', () => {
  it('reach their server, and no result, file or record', async () => {
    const { hands, seen, stateFolder, workspace, url } = await open(['fetch(localhost)']);
    await using _hands = hands;
    const result = await hands.call('run_command', { command: `echo "$TOKEN"; curl -sS ${url}/x | tee answer.json` });
    expect(result.ok && result.output).toContain('*'.repeat(VALUE.length));
    expect(seen).toEqual([`GET /x Bearer ${VALUE}`]);
    expect(JSON.stringify(result)).not.toContain(VALUE);
    expect(readFileSync(join(workspace, 'answer.json'), 'utf8')).toContain('*'.repeat(VALUE.length));
    expect(records(stateFolder)).not.toContain(VALUE);
  });

  it('do not go over http without a rule that opens this machine', async () => {
    const { hands, seen, url } = await open([]);
    await using _hands = hands;
    await hands.call('run_command', { command: `curl -sS ${url}/x` });
    expect(seen).toEqual(['GET /x undefined']);
  });

  it('are taken out of what other tools find, and long outputs are stored without them', async () => {
    const { hands, stateFolder, workspace } = await open([]);
    await using _hands = hands;
    writeFileSync(join(workspace, 'notes.txt'), `the key is ${VALUE}\n${'x\n'.repeat(20_000)}`);
    for (const [tool, input] of [
      ['read_file', { path: 'notes.txt' }],
      ['search_text', { pattern: 'the key' }],
      ['run_command', { command: 'cat notes.txt' }],
    ] as const) {
      const result = await hands.call(tool, input);
      expect([tool, result.ok, JSON.stringify(result).includes(VALUE)]).toEqual([tool, true, false]);
    }
    expect(records(join(stateFolder, 'spills'))).not.toContain(VALUE);
  });

  it('do not hold back the line that a job is waited for', async () => {
    const { hands, store } = await open([], { network: 'off' });
    await using _hands = hands;
    const [secret] = await store.list();
    if (secret === undefined) throw new Error('There is no secret.');
    // In base64 it begins with `dy`, and base64 may go on in the next line.
    await store.add({ ...secret, name: 'OTHER', value: 'w/Zq8e3RtYuIoP0aSdFg' });
    const wait = { background: true, wait_pattern: 'ready', yield_ms: 20_000 };
    const result = await hands.call('run_command', { command: 'echo ready; sleep 60', ...wait });
    expect(result.ok && result.output).toContain('ready');
    expect(JSON.stringify(result)).not.toContain('no line matched');
  });

  it('are in no record of a call that has them in its input', async () => {
    const { hands, store, stateFolder } = await open([], { network: 'off' });
    await using _hands = hands;
    const [secret] = await store.list();
    if (secret === undefined) throw new Error('There is no secret.');
    // Nothing but the store tells that this is one.
    const value = 'correct-horse-battery';
    await store.add({ ...secret, name: 'WORDS', value });
    await hands.call('list_directory', {});
    const result = await hands.call('run_command', { command: `echo ${value}` });
    expect(result.ok && result.output).toContain('*'.repeat(value.length));
    expect(records(join(stateFolder, 'audit'))).toContain('echo [redacted]');
    expect(records(join(stateFolder, 'audit'))).not.toContain(value);
  });

  it('are taken out of errors, of dry runs, and of the questions about them', async () => {
    const asked: string[] = [];
    const { hands, stateFolder, workspace } = await open([], {
      policy: { ask: ['exec(sed *)'] },
      approver: {
        name: 'test',
        async ask({ tryOut }, signal) {
          asked.push(JSON.stringify(await tryOut?.(signal)));
          return { verdict: 'deny' };
        },
      },
    });
    await using _hands = hands;
    writeFileSync(join(workspace, 'notes.txt'), `first\nthe key is ${VALUE}\nlast\n`);
    const edit = { path: 'notes.txt', edits: [{ old_text: 'first', new_text: 'FIRST' }] };
    const results = [
      await hands.call('edit_file', { path: 'notes.txt', edits: [{ old_text: 'first\nthe key is secret', new_text: 'x' }] }),
      await hands.call('apply_patch', { patch: '--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n first\n-the key is other\n+x\n last\n' }),
      await hands.call('edit_file', edit, { dryRun: true }),
      await hands.call('run_program', { code: `await hands.edit_file(${JSON.stringify(edit)})` }, { dryRun: true }),
      await hands.call('run_command', { command: 'sed -i s/first/FIRST/ notes.txt' }),
    ];
    const texts = results.map((result) => JSON.stringify(result));
    expect(results.map(({ ok }) => ok)).toEqual([false, false, true, true, false]);
    // Each of the first four shows the line, and so does the question.
    for (const text of [...texts.slice(0, 4), ...asked]) expect(text).toContain(`the key is ${'*'.repeat(VALUE.length)}`);
    expect(asked).toHaveLength(1);
    expect([...texts, ...asked].join('\n')).not.toContain(VALUE);
    expect(records(join(stateFolder, 'audit'))).not.toContain(VALUE);
  });

  it('are used and taken out in branches and in programs as well', async () => {
    const { hands, seen, workspace, url } = await open(['fetch(localhost)']);
    await using _hands = hands;
    writeFileSync(join(workspace, 'notes.txt'), `the key is ${VALUE}\n`);
    const branch = await hands.branch('trial');
    await using _branch = branch;
    const results = [
      await branch.call('read_file', { path: 'notes.txt' }),
      await branch.call('run_command', { command: `cat notes.txt; curl -sS ${url}/x` }),
      await hands.call('run_program', {
        // What is encoded would not be taken out of the answer of the program.
        code: `await hands.write_file({ path: 'new.txt', content: 'x' });
          const { content } = await hands.read_file({ path: 'notes.txt' });
          return Array.from(content).join(' ')`,
      }),
    ];
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(seen).toEqual([`GET /x Bearer ${VALUE}`]);
    for (const text of results.map((result) => JSON.stringify(result))) {
      expect(text).not.toContain(VALUE);
      expect(text).not.toContain(Array.from(VALUE).join(' '));
      expect(text).toMatch(/(?:\* ?){39}/u);
    }
  });

  it('are the new ones from the next command on', async () => {
    const { hands, seen, store, url } = await open(['fetch(localhost)']);
    await using _hands = hands;
    const [secret] = await store.list();
    if (secret === undefined) throw new Error('There is no secret.');
    await store.add({ ...secret, value: 'ghp_another-one-0123456789' });
    await hands.call('run_command', { command: `curl -sS ${url}/x` });
    expect(seen).toEqual(['GET /x Bearer ghp_another-one-0123456789']);
    await store.remove('TOKEN');
    await hands.call('run_command', { command: `curl -sS ${url}/y` });
    expect(seen[1]).toBe('GET /y undefined');
  });

  it('are not used, and the command does not run, if others can read them', async () => {
    const { hands, seen, stateFolder, url } = await open(['fetch(localhost)']);
    await using _hands = hands;
    const { chmodSync } = await import('node:fs');
    chmodSync(join(stateFolder, 'secrets.json'), 0o644);
    const result = await hands.call('run_command', { command: `curl -sS ${url}/x` });
    expect(result).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(seen).toEqual([]);
  });

  it('a rule that denies requests holds for commands, and what they asked for is listed', async () => {
    const { hands, seen, stateFolder, workspace, url } = await open(['fetch(localhost)'], {
      policy: { allow: ['fetch(localhost)'], deny: ['fetch(localhost DELETE /**)'] },
      approver: {
        name: 'test',
        ask: async ({ effects }) => (effects.join().includes('evil') ? { verdict: 'deny' } : { verdict: 'allow', scope: 'once' }),
      },
    });
    {
      await using _hands = hands;
      const result = await hands.call('run_command', {
        command: `curl -sS ${url}/a; curl -sS -X DELETE ${url}/b?q=1; curl -sS http://evil.example.com/`,
      });
      expect(result.ok && result.output).toContain(`refused: DELETE localhost`);
      expect(result.ok && result.output).toContain('by the rule fetch(localhost DELETE /**)');
    }
    expect(seen).toEqual([`GET /a Bearer ${VALUE}`]);
    const noted = readNetworkLog(networkLogFile(stateFolder, workspaceId(workspace)), 10);
    for (const { outcome, sent = 0 } of noted) expect(sent > 0).toBe(outcome === 'sent');
    expect(noted.map(({ method, path, outcome, about, rule }) => [method, path, outcome, about, rule])).toEqual([
      ['GET', '/a', 'sent', undefined, undefined],
      ['DELETE', '/b', 'refused', 'denied by fetch(localhost DELETE /**)', undefined],
      ['CONNECT', '', 'refused', undefined, 'evil.example.com'],
    ]);
  });
});
