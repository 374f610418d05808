import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands, type HandsOptions } from '@synapse/hands';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Ran {
  exit_code: number | null;
  output: string;
}

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
if (!hasSandbox) process.stderr.write('SANDBOX TESTS LEFT OUT: bubblewrap does not work here. See `synapse doctor`.\n');

let base: string;
let root: string;
let server: Server;
let hands: Record<'bubblewrap' | 'none', Hands>;

async function open(sandbox: HandsOptions['sandbox'] & string): Promise<Hands> {
  // Every command is allowed here, so that what stops it is the sandbox and not the policy.
  const options = { workspace: root, stateFolder: join(base, 'state'), configFolder: join(base, 'config'), allow: ['write', 'exec'] } as const;
  return await createHands({ ...options, sandbox, approver: { name: 'test', ask: async () => ({ verdict: 'allow', scope: 'once' }) } });
}

async function run(tier: keyof typeof hands, command: string): Promise<Ran> {
  const result = await hands[tier].call('run_command', { command });
  if (!result.ok) throw new Error(result.error.message);
  expect(result.meta.sandbox).toBe(tier);
  return result.data;
}

// In CI a missing sandbox is a failure: see the probe's own test.
beforeAll(async () => {
  if (!hasSandbox) return;
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-sandbox-')));
  root = join(base, 'workspace');
  mkdirSync(root);
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'secret.txt'), 'the secret\n');
  writeFileSync(join(root, '.env'), 'TOKEN=the-token\n');
  server = createServer((_request, response) => response.end('reached'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hands = { bubblewrap: await open('required'), none: await open('none') };
});
afterAll(async () => {
  if (!hasSandbox) return;
  server.close();
  for (const one of Object.values(hands)) await one[Symbol.asyncDispose]();
});

// Each attempt works without the sandbox, or it would prove nothing; a missing program can so never count as a refusal.
describe.skipIf(!hasSandbox)('a command in the sandbox', () => {
  it('writes in the workspace', async () => {
    expect(await run('bubblewrap', 'echo hello > written.txt && cat written.txt')).toMatchObject({ exit_code: 0, output: 'hello\n' });
    expect(readFileSync(join(root, 'written.txt'), 'utf8')).toBe('hello\n');
  });

  it('does not write beside it', async () => {
    const file = join(base, 'outside', 'written.txt');
    expect((await run('bubblewrap', `echo x > '${file}'`)).exit_code).not.toBe(0);
    expect(existsSync(file)).toBe(false);
    expect((await run('none', `echo x > '${file}'`)).exit_code).toBe(0);
    expect(existsSync(file)).toBe(true);
  });

  it('does not read what the policy withholds, however it asks', async () => {
    const command = `python3 -c 'print(open(".env").read())'`;
    expect((await run('bubblewrap', command)).output).not.toContain('the-token');
    expect((await run('none', command)).output).toContain('the-token');
  });

  it('reaches no network', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const command = `python3 -c 'import urllib.request as r; print(r.urlopen("${url}", timeout=5).read().decode())'`;
    expect((await run('bubblewrap', command)).output).not.toContain('reached');
    expect((await run('none', command)).output).toContain('reached');
  });

  it('does not see the state of Synapse', async () => {
    const command = `ls '${join(base, 'state')}'`;
    expect((await run('none', command)).output).toContain('audit');
    expect((await run('bubblewrap', command)).output).not.toContain('audit');
  });

  it('writes through no second name of a file outside', async () => {
    const [stored, linked] = [join(base, 'outside', 'stored.txt'), join(root, 'linked.txt')];
    writeFileSync(stored, 'stored\n');
    linkSync(stored, linked);
    await run('bubblewrap', 'cat linked.txt; echo changed >> linked.txt || true');
    expect(readFileSync(stored, 'utf8')).toBe('stored\n');
    // What a command on a copy changed is a file of its own by now.
    rmSync(linked);
    linkSync(stored, linked);
    await run('none', 'echo changed >> linked.txt');
    expect(readFileSync(stored, 'utf8')).toBe('stored\nchanged\n');
  });

  it('leaves no hook in a repository that it makes', async () => {
    // Not by its name, which the question would show.
    const command =
      "git init -q made && cd made && for one in .g*/hoo*; do printf '#!/bin/sh\\n' > $one/pre-commit && chmod +x $one/pre-commit; done";
    const result = await hands.bubblewrap.call('run_command', { command });
    expect(result).toMatchObject({ ok: true, data: { exit_code: 0, quarantined: [{ path: 'made/.git/hooks/pre-commit' }] } });
    expect(existsSync(join(root, 'made/.git/hooks/pre-commit'))).toBe(false);
  });
});
