import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxBench } from '../../testing/sandbox-bench.ts';
import type { RunMode } from '../../modes/run-modes.ts';
import { SHELL_ARGUMENTS } from '../../process/command-shell.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';
import { needsCaches } from './package-caches.ts';

const USER = process.getuid?.() === 0 ? 'root' : 'user';

async function withCache(keepsCaches = false, mode?: RunMode): Promise<SandboxBench> {
  const bench = await SandboxBench.open(USER, {
    ownHome: true,
    keepsCaches,
    ...(mode === undefined ? {} : { policy: { mode } }),
    files: {
      'package.json': '{"name":"w","version":"1.0.0"}',
      'p/package.json': '{"name":"p","version":"1.0.0"}',
      '.npmrc': 'audit=false\nfund=false\n',
    },
  });
  for (const path of ['.npm/_cacache', '.cache/pip', '.cargo/registry']) mkdirSync(join(bench.home, path), { recursive: true });
  for (const path of ['.cache/pip/known', '.npmrc', '.cargo/credentials.toml']) writeFileSync(join(bench.home, path), 'kept');
  return bench;
}

describe.skipIf((await findBubblewrap()) === undefined)('caches of package managers', () => {
  it('are read, and written in a layer that ends with the command', async () => {
    await using bench = await withCache();
    const script =
      'sh -c "cat ~/.cache/pip/known; echo changed > ~/.cache/pip/known; mkdir ~/.cache/pip/new; cat ~/.cache/pip/known; ls ~/.cache/pip"';
    expect(await bench.inside(script)).toMatchObject({ stdout: 'keptchanged\nknown\nnew\n', stderr: '', exitCode: 0 });
    expect(readdirSync(join(bench.home, '.cache/pip'))).toEqual(['known']);
    expect(readFileSync(join(bench.home, '.cache/pip/known'), 'utf8')).toBe('kept');
    expect((await bench.inside(script)).stdout).toBe('keptchanged\nknown\nnew\n');
    expect(readdirSync(join(bench.state, 'layers'))).toEqual([]);
    // The control: a plain command writes there.
    await bench.outsideOf(script);
    expect(readFileSync(join(bench.home, '.cache/pip/known'), 'utf8')).toBe('changed\n');
  });

  it('are written in such a layer by a language server too, which writes nothing else', async () => {
    await using bench = await withCache(false, 'server');
    const { stdout } = await bench.inside('sh -c "echo new > ~/.cache/pip/new; cat ~/.cache/pip/new; echo x > written"');
    expect(stdout).toBe('new\n');
    expect(readdirSync(join(bench.home, '.cache/pip'))).toEqual(['known']);
    expect(readdirSync(bench.workspace)).not.toContain('written');
    expect(readdirSync(join(bench.state, 'layers'))).toEqual([]);
  });

  it('do not bring credentials that are beside them', async () => {
    await using bench = await withCache();
    const { stdout } = await bench.inside('sh -c "cat ~/.npmrc ~/.cargo/credentials.toml; ls -A ~ ~/.cargo"');
    expect(stdout).not.toContain('kept');
    expect((await bench.outsideOf('cat ~/.npmrc ~/.cargo/credentials.toml')).stdout).toBe('keptkept');
  });

  it('are only read by what fills none', async () => {
    await using bench = await withCache();
    const { stdout, stderr } = await bench.inside('cat ~/.cache/pip/known; echo x > ~/.cache/pip/known');
    expect([stdout, stderr]).toEqual(['kept', expect.stringContaining('Read-only') as string]);
  });

  it.skipIf(spawnSync('npm', ['--version']).status !== 0)(
    'let npm install what it knows, and forget what it learned',
    { timeout: 60_000 },
    async () => {
      await using bench = await withCache();
      const install = 'npm install --offline ./p-1.0.0.tgz';
      await bench.outsideOf('npm pack --silent --cache ../other-cache ./p');
      const result = await bench.inside(`npm cache add ./p-1.0.0.tgz && ${install} && ls node_modules && ls ~/.npm/_cacache`);
      expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\np\ncontent-v2\n/u) as string });
      expect(readdirSync(join(bench.home, '.npm/_cacache'))).toEqual([]);
    },
  );
});

describe.skipIf((await findBubblewrap()) === undefined)('caches that a project keeps', () => {
  it('show later commands what earlier ones wrote, and the user nothing', async () => {
    await using bench = await withCache(true);
    const fill =
      'sh -c "mkdir -p ~/.cache/go-build/0a ~/.cache/pip/new; echo 1 > ~/.cache/go-build/0a/x; echo 2 > ~/.cache/pip/new/y; rm ~/.cache/pip/known"';
    expect(await bench.inside(fill)).toMatchObject({ exitCode: 0, stderr: '' });
    const look = 'cat ~/.cache/go-build/0a/x ~/.cache/pip/new/y; ls ~/.cache/pip';
    expect((await bench.inside(`sh -c '${look}'`)).stdout).toBe('1\n2\nnew\n');
    // Also what fills no caches itself.
    expect((await bench.inside(look)).stdout).toBe('1\n2\nnew\n');
    expect([readdirSync(join(bench.home, '.cache')), readdirSync(join(bench.home, '.cache/pip'))]).toEqual([['pip'], ['known']]);
    expect(readdirSync(join(bench.state, 'layers'))).toEqual([]);
  });

  it('say what is not kept, and why', async () => {
    await using bench = await withCache(true);
    const notes: string[] = [];
    const onNote = (note: string): void => void notes.push(note);
    const deep = 'd=.cache/deep; for i in $(seq 600); do mkdir -p $d/a; cd $d/a; d=.; done';
    expect(await bench.inside(`sh -c 'cd; ${deep}; touch x'`, { onNote })).toMatchObject({ exitCode: 0 });
    expect(notes).toEqual([expect.stringMatching(/^A cache was not kept for later commands: \/.*\/\.cache\/deep \(too large or too deep, /u)]);
    await bench.inside("sh -c 'touch ~/.cache/pip/x'", { onNote });
    expect([(await bench.inside('ls ~/.cache ~/.cache/pip')).stdout, notes.length]).toEqual([expect.stringContaining('x'), 1]);
  });

  it('follow what commands delete and make again', async () => {
    await using bench = await withCache(true);
    const user = join(bench.home, '.cache/pip/d');
    mkdirSync(user);
    writeFileSync(join(user, 'user'), '');
    const run = async (script: string): Promise<string> => (await bench.inside(`sh -c 'cd ~/.cache/pip; ${script}'`)).stdout;
    await run('echo 1 > d/first; mkdir -p e/sub; echo 1 > e/sub/old');
    expect(await run('ls d; rm -r d e; mkdir -p d e/sub; echo 2 > d/second; echo 2 > e/sub/new')).toBe('first\nuser\n');
    expect(await run('ls d e/sub; rm -r d; ls')).toBe('d:\nsecond\n\ne/sub:\nnew\ne\nknown\n');
    // A folder in place of a deleted one of the user shows nothing of it.
    expect(await run('mkdir d; ls d; echo 3 > d/third')).toBe('');
    expect(await run('ls d')).toBe('third\n');
    await run('rm d/third');
    expect(await run('ls -la d | grep -c third')).toBe('0\n');
    expect(readdirSync(user)).toEqual(['user']);
  });

  it('keep settings and programs of the home folder for no other command', async () => {
    await using bench = await withCache(true);
    const files = '~/.bashrc ~/.npmrc ~/.gitconfig ~/.local/bin/git ~/go/bin/tool ~/.cargo/config.toml ~/.cargo/bin/x';
    await bench.inside(`sh -c 'mkdir -p ~/.local/bin ~/go/bin ~/.cargo/bin ~/.cache/a; touch ${files} ~/.cache/a/b'`);
    const { stdout } = await bench.inside(`sh -c 'ls -d ${files} ~/.cache/a/b'`);
    expect(stdout).toBe(`${bench.home}/.cache/a/b\n`);
  });

  it('are not followed where something is mounted', async () => {
    await using bench = await withCache(true);
    await bench.inside('sh -c "mkdir ~/.cache/x; touch ~/.cache/x/y"');
    // What a command could leave there before the user had this cache.
    const link = join(bench.state, 'caches/project/home/.cache/pip');
    symlinkSync(bench.outside, link);
    expect((await bench.inside('sh -c "cat ~/.cache/pip/known; touch ~/.cache/pip/new; ls ~/.cache/x"')).stdout).toBe('kepty\n');
    expect(readdirSync(bench.outside)).toEqual(['s.txt']);
  });
});

it.each([
  ['npm install', true],
  ['cd a && CI=1 cargo build', true],
  ['/usr/bin/make -j2', true],
  ['./gradlew test', true],
  ['python3 -m pip install x', true],
  ['echo $(go env)', true],
  ['git status', false],
  ['date > x', false],
  ['cat go.mod package.json', false],
  ['node x.js', false],
  ['node --test ./x.js', true],
  ['cd a; ./b', true],
  ['A=1 B=2 ../run.py && true', true],
  ['timeout -k 5 60 ./slow', true],
  ['if true; then "./a b"; fi', true],
  ['echo $(./version)', true],
  ['find . -name x -exec ./check {} +', true],
  ['. ./env', true],
  ['ls ./src ../other', false],
  ['cd "$(mktemp -d ./many-XXXXXX)" && : > a', false],
  ['cp -r ./a ./b; rm -rf ./a', false],
  ['git add ./a', false],
  ['true', false],
  ['node /opt/pnpm/bin/pnpm.cjs install', true],
  ['java -jar /opt/coursier.jar fetch x', true],
  ['terraform init', true],
  ['cat pnpm.cjs.map', false],
])('%s: needs a layer: %s', (command, expected) => {
  for (const shell of ['sh', 'bash'] as const) expect(needsCaches([...SHELL_ARGUMENTS[shell], command])).toBe(expected);
});
