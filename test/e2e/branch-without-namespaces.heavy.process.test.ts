import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findLandlock } from '../../packages/hands/src/sandbox/landlock/find-landlock.ts';
import { git, initRepository } from '../../packages/hands/src/testing/git-repository.ts';
import { CLI, makePlace, outcome, runCli, type Outcome, type Place } from './run-cli.ts';

/** A command line in a user namespace in which there are no more namespaces, without the rights to make others. */
const WITHOUT = [
  '--user',
  '--map-root-user',
  '/bin/sh',
  '-ec',
  'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set -all --inh-caps -all --no-new-privs "$@"',
  'sh',
  process.execPath,
  CLI,
];
const works = !('problem' in (await findLandlock())) && spawnSync('unshare', WITHOUT.toSpliced(-1, 1, '-e', '0')).status === 0;

/** Runs a command line where the kernel gives no namespaces, such as in a container. */
async function run({ folder, environment }: Place, ...words: string[]): Promise<Outcome> {
  return await outcome(spawn('unshare', [...WITHOUT, ...words], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));
}

async function setUp(): Promise<Place> {
  const place = await makePlace({ 'a.txt': 'one\n', '.env': 'KEY=env-value\n', '.gitignore': '.env\n' });
  initRepository(place.folder);
  for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' })) git(place.folder, 'config', key, value);
  git(place.folder, 'add', '-A');
  git(place.folder, 'commit', '-qm', 'first');
  return place;
}

describe.skipIf(!works)('a branch where the kernel gives no namespaces', { timeout: 120_000 }, () => {
  it('is a copy in which tools and commands of a model work, and is applied as a whole', async () => {
    const place = await setUp();
    const inside = async (...words: string[]): Promise<Outcome> => await run(place, ...words, '--branch', 'fix', '--yes');
    expect((await run(place, 'branch', 'new', 'fix')).code).toBe(0);
    // By its path in the workspace.
    const path = join(place.folder, 'a.txt');
    expect(await inside('call', 'write_file', JSON.stringify({ path, content: 'two\n' }), '--workspace', place.folder)).toMatchObject({ code: 0 });
    const commit = await inside('call', 'run_command', JSON.stringify({ command: 'cat a.txt; echo new > b.txt; git add -A; git commit -qm second' }));
    expect(commit).toMatchObject({ code: 0, out: expect.stringContaining('two\n') as string });
    expect(commit.err).toContain('Landlock');
    expect([readFileSync(path, 'utf8'), existsSync(join(place.folder, 'b.txt'))]).toEqual(['one\n', false]);
    expect((await run(place, 'log', '--branch', 'fix')).out).toMatch(/write_file\(.*a\.txt\)[^]*run_command/u);
    expect((await run(place, 'branch', 'apply', 'fix', '--yes')).code).toBe(0);
    expect([readFileSync(path, 'utf8'), readFileSync(join(place.folder, 'b.txt'), 'utf8')]).toEqual(['two\n', 'new\n']);
    expect(git(place.folder, 'log', '--format=%s', '-1')).toBe('second');
    expect(git(place.folder, 'fsck', '--strict')).toBe('');
    expect((await run(place, 'undo', '--yes')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('one\n');
  });

  it('opens nothing to commands: neither the workspace, nor what rules deny, nor the state of Synapse', async () => {
    const place = await setUp();
    const { XDG_STATE_HOME: state = '' } = place.environment;
    writeFileSync(join(state, 'synapse/private'), 'stored-secret');
    expect((await run(place, 'branch', 'new', 'fix')).code).toBe(0);
    const branch = join(state, 'synapse/branches');
    const places = [join(place.folder, 'a.txt'), '.env', join(state, 'synapse/private'), '../state/main/private', join(branch, '*/fix/branch.json')];
    const command = `for f in ${places.join(' ')}; do cat $f && echo OPEN $f; done; echo x > ${place.folder}/made; pwd`;
    const inBranch = async (line: string): Promise<Outcome> =>
      await run(place, 'call', 'run_command', JSON.stringify({ command: line }), '--branch', 'fix', '--yes', '--readable', state);
    expect((await inBranch('echo x > ../state/made')).err).toContain('state files are never written');
    const { out, err } = await inBranch(command);
    expect({ out, err }).toMatchObject({ out: expect.stringContaining('/fix/') as string });
    expect(`${out}${err}`).not.toMatch(/OPEN|env-value|stored-secret|"root"/u);
    expect([existsSync(join(place.folder, 'made')), readFileSync(join(place.folder, 'a.txt'), 'utf8')]).toEqual([false, 'one\n']);
    const read = await run(
      place,
      'call',
      'read_file',
      JSON.stringify({ path: join(state, 'synapse/private') }),
      '--branch',
      'fix',
      '--readable',
      state,
    );
    expect(read.code).not.toBe(0);
    expect(`${read.out}${read.err}`).not.toContain('stored-secret');
  });

  it('is one of its own for each session of an MCP client', async () => {
    const place = await setUp();
    const client = new Client({ name: 'e2e', version: '0' });
    onTestFinished(() => client.close());
    const args = [...WITHOUT, 'mcp', '--workspace', place.folder, '--branch', 'auto', '--allow', 'write,exec'];
    await client.connect(new StdioClientTransport({ command: 'unshare', args, env: place.environment as Record<string, string>, stderr: 'ignore' }));
    await client.callTool({ name: 'write_file', arguments: { path: 'made.txt', content: 'made' } });
    const { content } = await client.callTool({ name: 'run_command', arguments: { command: 'cat made.txt' } });
    expect(JSON.stringify(content)).toContain('made');
    await client.close();
    expect(existsSync(join(place.folder, 'made.txt'))).toBe(false);
    expect(JSON.parse((await runCli(place, ['branch', 'list', '--json'])).out)).toMatchObject([
      { name: expect.stringMatching(/^session-/u) as string, changes: 1 },
    ]);
  });
});
