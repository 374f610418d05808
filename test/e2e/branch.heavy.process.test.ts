import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../../packages/hands/src/testing/git-repository.ts';
import { CLI, makePlace, runCli, runCliProcess, startCli, type Outcome, type Place } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;

/** A repository, and a call in a branch of it. */
async function setUp(): Promise<{ place: Place; inside: (...words: string[]) => Promise<Outcome>; run: (command: string) => Promise<Outcome> }> {
  const place = await makePlace({ 'a.txt': 'one\n', '.gitignore': 'build\n', 'package.json': '{}\n' });
  initRepository(place.folder);
  git(place.folder, 'config', 'user.name', 'Ada');
  git(place.folder, 'config', 'user.email', 'ada@example.com');
  git(place.folder, 'add', '-A');
  git(place.folder, 'commit', '-qm', 'first');
  expect((await runCli(place, ['branch', 'new', 'fix'])).code).toBe(0);
  const inside = async (...words: string[]): Promise<Outcome> => await runCliProcess(place, [...words, '--branch', 'fix']);
  return { place, inside, run: async (command) => await inside('call', 'run_command', JSON.stringify({ command }), '--yes') };
}

const listed = async (place: Place): Promise<unknown> => JSON.parse((await runCli(place, ['branch', 'list', '--json'])).out);

/** Connects an MCP client to a server that works in a branch. */
async function connect(place: Place, branch: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '0' });
  onTestFinished(() => client.close());
  const args = [CLI, 'mcp', '--workspace', place.folder, '--branch', branch, '--allow', 'write,exec'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: place.environment as Record<string, string>, stderr: 'ignore' }),
  );
  return client;
}

/** Prints its name to everyone who asks. */
const server = (name: string): string => `node -e "require('http').createServer((asked, answer) => answer.end('${name}')).listen(3000)"`;

describe.skipIf(!works)('synapse branch', () => {
  it('lets calls, commands, undo and the log work in a copy, which is applied as a whole', async () => {
    const { place, inside, run } = await setUp();
    expect(await listed(place)).toMatchObject([{ name: 'fix', from: null, changes: 0, jobs: [], in_use: false }]);
    expect((await inside('call', 'write_file', 'path=a.txt', 'content=two', '--yes')).code).toBe(0);
    expect((await run('git commit -qam second && mkdir build n && touch build/x && mv package.json n && rm .gitignore')).code).toBe(0);
    expect((await run('git log --format=%s && ls -A')).out).toBe('second\nfirst\n.git\na.txt\nbuild\nn\n');
    // Each command line mounts the branch anew.
    expect((await inside('undo', '--yes')).err).toContain('1 change undone');
    expect((await run('git log --format=%s && cat a.txt && ls -A && git fsck')).out).toBe('first\ntwo.git\n.gitignore\na.txt\npackage.json\n');
    expect((await inside('log')).out).toContain('write_file(a.txt)');
    expect((await runCli(place, ['log'])).out).not.toContain('write_file');
    expect((await inside('changes')).out).toContain('+two');
    expect((await runCli(place, ['changes'])).out).toBe('');
    expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');

    expect((await runCli(place, ['branch', 'diff', 'fix', '--stat'])).out).toMatch(/^changed +a\.txt +\+1 -1\n$/u);
    expect((await runCliProcess(place, ['branch', 'run', 'fix', '--', 'cat', 'a.txt'])).out).toBe('two');
    // Its diff is too long to be shown in full: the numbers are those of all of it.
    await run('seq 100000 100009 > few; seq 100000 120000 > many');
    expect((await runCli(place, ['branch', 'diff', 'fix', '--stat'])).out).toMatch(/^created +few +\+10 -0\ncreated +many +\+20001 -0\n/mu);
    await run('rm few many');
    const refused = await runCli(place, ['branch', 'drop', 'fix', '--json']);
    expect([refused.code, JSON.parse(refused.out)]).toMatchObject([4, { ok: false, error: { code: 'approval_required' } }]);
    const applied = await runCli(place, ['branch', 'apply', 'fix', '--yes']);
    expect([applied.code, readFileSync(join(place.folder, 'a.txt'), 'utf8')]).toEqual([0, 'two']);
    expect((await runCli(place, ['undo', '--yes'])).code).toBe(0);
    expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect((await runCli(place, ['branch', 'drop', 'fix', '--yes'])).code).toBe(0);
    expect(await listed(place)).toEqual([]);
  });

  it('replaces and moves folders that the workspace has, and takes that back', async () => {
    const { place, inside, run } = await setUp();
    mkdirSync(join(place.folder, 'd', 'e'), { recursive: true });
    writeFileSync(join(place.folder, 'd', 'e', 'x'), 'x');
    const listing = async (): Promise<string> => (await runCliProcess(place, ['branch', 'run', 'fix', '--', 'find', 'd', 'f', '-type', 'f'])).out;
    expect((await run('rm -r d && mkdir d && echo new > d/y')).code).toBe(0);
    expect(await listing()).toBe('d/y\n');
    expect((await inside('undo', '--yes')).code).toBe(0);
    expect(await listing()).toBe('d/e/x\n');
    expect((await run('mv d f')).code).toBe(0);
    expect((await run('rm -r f')).code).toBe(0);
    expect(await listing()).toBe('');
    for (let times = 0; times < 2; times += 1) expect((await inside('undo', '--yes')).code).toBe(0);
    expect(await listing()).toBe('d/e/x\n');
    // Of the folder of the layer below; this one has been made in the branch since.
    mkdirSync(join(place.folder, 'g'));
    expect(await inside('call', 'move_path', 'from=g', 'to=h', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Move it with mv in a command') as string,
    });
  });

  it('brings commits to a workspace whose HEAD has not moved', async () => {
    const { place, run } = await setUp();
    await run('echo two > a.txt && git commit -qam second && git tag done');
    expect((await runCli(place, ['branch', 'apply', 'fix', '--yes'])).code).toBe(0);
    expect([git(place.folder, 'log', '--format=%s'), git(place.folder, 'status', '--short'), git(place.folder, 'fsck')]).toEqual([
      'second\nfirst',
      '',
      '',
    ]);
  });

  it('brings commits to a branch of their own where something else moved HEAD', async () => {
    const { place, run } = await setUp();
    await run('echo two > a.txt && echo new > b.txt && git add -A && git commit -qm second && git tag done && git checkout -qb other && git gc -q');
    writeFileSync(join(place.folder, 'c.txt'), 'person');
    git(place.folder, 'add', '-A');
    git(place.folder, 'commit', '-qm', 'person');
    const before = git(place.folder, 'rev-parse', 'HEAD');
    const apply = async (): Promise<unknown> => {
      const { out } = await runCli(place, ['branch', 'apply', 'fix', '--yes', '--json']);
      return (JSON.parse(out) as { result: { data: unknown } }).result.data;
    };
    const ref = 'refs/heads/synapse/fix';
    expect(await apply()).toMatchObject({ commits: [{ repository: '.git', ref }], conflicts: [], undo: true });
    const log = (name: string): string => git(place.folder, 'log', '--format=%s', name);
    expect([git(place.folder, 'fsck'), log('HEAD'), log('synapse/fix')]).toEqual(['', 'person\nfirst', 'second\nfirst']);
    expect(git(place.folder, 'status', '--short').split('\n')).toEqual(
      [' M a.txt', '?? b.txt'].map((line) => expect.stringContaining(line.trim()) as string),
    );
    await run('echo three > a.txt && git commit -qam third');
    git(place.folder, 'checkout', '-q', '--', 'a.txt');
    expect(await apply()).toMatchObject({ commits: [{ ref }] });
    expect([git(place.folder, 'fsck'), log('synapse/fix')]).toEqual(['', 'third\nsecond\nfirst']);
    // A person works on in it: their commit is not moved away.
    git(place.folder, 'stash', '-q', '-u');
    git(place.folder, 'merge', '-q', '--no-edit', 'synapse/fix');
    git(place.folder, 'update-ref', ref, before);
    await run('echo four > a.txt && git commit -qam fourth');
    expect(await apply()).toMatchObject({ commits: [{ ref: `${ref}-2` }] });
    expect(git(place.folder, 'rev-parse', ref)).toBe(before);
    // An undo takes the reference away, and no object that others may need.
    expect((await runCli(place, ['undo', '--yes'])).code).toBe(0);
    git(place.folder, 'fsck', '--no-dangling');
    expect(() => git(place.folder, 'rev-parse', '--verify', '-q', `${ref}-2`)).toThrow();
  });

  it('says before it asks that commits get a branch of git, names no files of git, and applies the commits alone to merge them', async () => {
    const { place, run } = await setUp();
    await run('echo new > b.txt && git add -A && git commit -qm second');
    writeFileSync(join(place.folder, 'c.txt'), 'person');
    git(place.folder, 'add', '-A');
    git(place.folder, 'commit', '-qm', 'person');
    const cli = async (...words: string[]) => await runCli(place, ['branch', ...words]);
    const held =
      /^Conflict: \.git is not applied, because .* as the git branch synapse\/fix, and the rest of it stays in the branch\.\n  [\da-f]{7} second\n/mu;
    const diff = await cli('diff', 'fix');
    expect(diff.out).toMatch(held);
    expect(diff.out).not.toMatch(/rewrites|COMMIT_EDITMSG|To choose a version/u);
    expect((await cli('resolve', 'fix')).out).not.toContain('COMMIT_EDITMSG');
    const only = /^To apply only the commits, and merge them with git: (?<command>.*)\n/mu.exec(diff.out)?.groups?.['command'];
    expect(only).toBe('synapse branch apply fix .git');
    const commits = await cli('apply', 'fix', '.git', '--yes');
    expect(commits).toMatchObject({ code: 0, err: expect.stringMatching(held) });
    expect(commits.err).toMatch(
      /The commits for \.git are in the git branch synapse\/fix; .*\n1 other change of fix stays in the branch\.\n\d+ files of its repository stay in the branch\.\n/u,
    );
    git(place.folder, 'merge', '-q', '--no-edit', 'synapse/fix');
    expect([git(place.folder, 'status', '--short'), git(place.folder, 'ls-files', 'b.txt', 'c.txt')]).toEqual(['', 'b.txt\nc.txt']);
    await run('echo new > d.txt && git add -A && git commit -qm third');
    const whole = await cli('apply', 'fix', '--yes');
    expect(whole.err).toMatch(
      /is applied and not committed: .*\n\d+ files of its repository stay in the branch\.\nTo delete the branch: synapse branch drop fix\n/u,
    );
    expect(git(place.folder, 'status', '--short')).toBe('?? d.txt');
    expect(await cli('drop', 'fix', '--yes')).toMatchObject({ code: 0 });
  });

  it('does not apply or delete without a yes, and passes exit codes on', async () => {
    const { place, inside, run } = await setUp();
    await run('echo two > a.txt');
    expect(await runCli(place, ['branch', 'apply', 'fix'])).toMatchObject({ code: 4 });
    expect(await runCli(place, ['branch', 'drop', 'fix'])).toMatchObject({ code: 4 });
    expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect((await inside('call', 'read_file', 'path=none')).code).toBe(5);
    expect((await runCliProcess(place, ['branch', 'run', 'fix', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
    expect(await runCli(place, ['branch', 'run', 'fix'])).toMatchObject({ code: 2, err: expect.stringContaining('after --') as string });
    expect(await runCli(place, ['branch', 'diff', 'fixx'])).toMatchObject({ code: 5, err: expect.stringContaining('Did you mean fix?') as string });
  });

  it('compares two branches, also one with the one that it is based on', async () => {
    const { place, run } = await setUp();
    await run('printf "one\\nfix\\n" > a.txt && mkdir -p new/deep && echo x > new/deep/x && echo y > new/y && rm package.json');
    await run('printf "#!/bin/sh\\n" > run.sh && chmod +x run.sh');
    const compare = async (...words: string[]): Promise<string> => (await runCli(place, ['branch', 'diff', ...words])).out;
    expect((await runCli(place, ['branch', 'new', 'second', '--from', 'fix'])).code).toBe(0);
    expect((await runCli(place, ['branch', 'diff', 'fix', 'second'])).err).toContain('Nothing differs.');
    const inSecond = 'echo two >> a.txt && git checkout -q package.json && rm -r new && mkdir new && echo z > new/z && chmod -x run.sh';
    expect((await runCliProcess(place, ['branch', 'run', 'second', '--', 'sh', '-c', inSecond])).code).toBe(0);
    expect(await compare('fix', 'second', '--stat')).toMatch(
      /^changed +a\.txt +\+1 -0\ndeleted +new\/deep *\ndeleted +new\/deep\/x +\+0 -1\ndeleted +new\/y +\+0 -1\ncreated +new\/z +\+1 -0\ncreated +package\.json +\+1 -0\nchanged +run\.sh *\n$/u,
    );
    expect(await compare('fix', 'second')).toContain('+two\n');
    expect(await compare('second', 'fix')).toContain('-two\n');
    expect((await runCli(place, ['branch', 'new', 'plain'])).code).toBe(0);
    expect(await compare('plain', 'fix', '--stat')).toBe(await compare('fix', '--stat'));
    expect((await runCli(place, ['branch', 'diff', 'fix', 'none'])).code).toBe(5);
  });

  it('gives each MCP client a branch of its own, and keeps what it changed', async () => {
    const { place } = await setUp();
    mkdirSync(join(place.folder, 'pkg'));
    const [one, other] = await Promise.all([connect(place, 'auto'), connect(place, 'auto')]);
    const command = async (client: Client, text: string): Promise<string> =>
      JSON.stringify((await client.callTool({ name: 'run_command', arguments: { command: text } })).content);
    await command(one, 'echo one > mine');
    await one.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'b' } });
    expect([await command(other, 'ls'), existsSync(join(place.folder, 'mine'))]).toEqual([expect.not.stringContaining('mine'), false]);
    // The index of the branch is up to date. Then a person makes a secret in the workspace.
    for (let times = 0; times < 3; times += 1) await command(one, 'ls pkg');
    writeFileSync(join(place.folder, 'pkg', '.env'), 'TOKEN=hidden-value');
    writeFileSync(join(place.folder, 'pkg', 'seen.txt'), 'person');
    const said = await command(one, 'cat pkg/.env pkg/seen.txt');
    expect(said).toContain('person');
    expect(said).not.toContain('hidden-value');
    // A file that the branch has read, replaced by another one.
    writeFileSync(join(place.folder, 'pkg', 'draft'), 'replaced');
    renameSync(join(place.folder, 'pkg', 'draft'), join(place.folder, 'pkg', 'seen.txt'));
    expect(await command(one, 'cat pkg/seen.txt && echo more >> pkg/seen.txt && cat pkg/seen.txt')).toContain('replacedreplacedmore');
    await Promise.all([one.close(), other.close()]);
    await expect
      .poll(() => listed(place))
      .toMatchObject([{ name: 'fix' }, { name: expect.stringMatching(/^session-/u) as string, changes: 3, in_use: false }]);
    expect(readdirSync(place.folder)).not.toContain('mine');
  });

  it('keeps servers of branches on one port apart, and leads a person to each', async () => {
    const { place } = await setUp();
    await runCli(place, ['branch', 'new', 'other']);
    for (const name of ['fix', 'other']) {
      const client = await connect(place, name);
      const started = await client.callTool({ name: 'run_command', arguments: { command: server(name), background: true, wait_port: 3000 } });
      expect(JSON.stringify(started.content)).toContain('listens on port 3000');
    }
    const branches = (await listed(place)) as ReadonlyArray<{ readonly name: string; readonly jobs: ReadonlyArray<{ readonly id: string }> }>;
    expect(branches).toMatchObject(['fix', 'other'].map((name) => ({ name, in_use: true, jobs: [{ ports: [3000] }] })));
    for (const { name, jobs } of branches) {
      const forward = startCli(place, ['jobs', 'forward', jobs[0]?.id ?? '', '--branch', name]);
      onTestFinished(() => void forward.kill('SIGKILL'));
      const [address] = (await once(forward.stdout ?? new EventEmitter(), 'data')) as [Buffer];
      const asked = await Promise.all(Array.from({ length: 3 }, async () => await (await fetch(address.toString().trim())).text()));
      expect(asked).toEqual([name, name, name]);
      forward.kill('SIGINT');
      expect(await once(forward, 'exit')).toEqual([130, null]);
    }
    const none = await runCliProcess(place, ['jobs', 'forward', branches[0]?.jobs[0]?.id ?? '', '--branch', 'fix', '--port', '4000']);
    expect(none).toMatchObject({ code: 5, err: expect.stringContaining('It listens on 3000.') as string });
  });

  it('shows the workspace as it was before a call', async () => {
    const { place } = await setUp();
    const call = async (tool: string, input: unknown): Promise<string> => {
      const { out } = await runCli(place, ['call', tool, JSON.stringify(input), '--yes', '--json']);
      return (JSON.parse(out) as { readonly meta: { readonly callId: string } }).meta.callId;
    };
    mkdirSync(join(place.folder, 'd'));
    writeFileSync(join(place.folder, 'd', 'x'), 'x\n');
    const calls = [
      await call('write_file', { path: 'a.txt', content: 'two\n' }),
      await call('run_command', { command: 'rm -r d && echo c > c' }),
      await call('run_command', { command: 'git add -A && git commit -qm second' }),
      await call('write_file', { path: 'a.txt', content: 'three\n' }),
      // It changed nothing, and is a moment too.
      await call('read_file', { path: 'a.txt' }),
    ];
    const shown: string[] = [];
    for (const [index, id] of calls.entries()) {
      expect((await runCliProcess(place, ['branch', 'new', `at${index}`, '--at', id])).code).toBe(0);
      const look = 'cat a.txt; ls; git log --format=%s; git fsck';
      shown.push((await runCliProcess(place, ['branch', 'run', `at${index}`, '--', 'sh', '-c', look])).out);
    }
    expect(shown).toEqual([
      'one\na.txt\nd\npackage.json\nfirst\n',
      'two\na.txt\nd\npackage.json\nfirst\n',
      'two\na.txt\nc\npackage.json\nfirst\n',
      'two\na.txt\nc\npackage.json\nsecond\nfirst\n',
      'three\na.txt\nc\npackage.json\nsecond\nfirst\n',
    ]);
    expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('three\n');
    expect((await runCliProcess(place, ['changes', '--branch', 'at0'])).out).toBe('');
    // What a person changed since is known where a call changed the same before.
    writeFileSync(join(place.folder, 'a.txt'), 'person');
    expect((await runCliProcess(place, ['branch', 'new', 'late', '--at', calls[3] ?? ''])).code).toBe(0);
    expect((await runCliProcess(place, ['branch', 'run', 'late', '--', 'cat', 'a.txt'])).out).toBe('two\n');
    expect(await runCliProcess(place, ['branch', 'drop', 'late', '--yes'])).toMatchObject({ code: 0 });
    expect(await runCliProcess(place, ['branch', 'new', 'late', '--at', 'none'])).toMatchObject({ code: 5 });
    expect(await listed(place)).toHaveLength(6);
  });

  it('stays mounted for a detached job, and others can work in it', async () => {
    const { place, inside } = await setUp();
    const client = await connect(place, 'fix');
    await client.callTool({ name: 'run_command', arguments: { command: server('kept'), background: true, wait_port: 3000 } });
    const [{ jobs }] = (await listed(place)) as [{ readonly jobs: readonly [{ readonly id: string }] }];
    expect((await inside('jobs', 'detach', jobs[0].id)).code).toBe(0);
    await client.close();
    expect(await listed(place)).toMatchObject([{ name: 'fix', in_use: true, jobs: [{ ports: [3000] }] }]);
    expect((await inside('call', 'read_file', 'path=a.txt')).out).toBe('one\n');
    expect((await runCli(place, ['branch', 'drop', 'fix', '--yes'])).err).toContain('in use');
    expect((await inside('jobs', 'stop', jobs[0].id)).code).toBe(0);
    await expect.poll(() => listed(place)).toMatchObject([{ name: 'fix', in_use: false, jobs: [] }]);
  });
});
