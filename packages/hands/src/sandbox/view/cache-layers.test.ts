import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxBench } from '../../testing/sandbox-bench.ts';
import { SHELL_ARGUMENTS } from '../../process/command-shell.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';
import { needsCaches } from './cache-layers.ts';

const USER = process.getuid?.() === 0 ? 'root' : 'user';

async function withCache(): Promise<SandboxBench> {
  const bench = await SandboxBench.open(USER, {
    ownHome: true,
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

  it('do not bring credentials that lie beside them', async () => {
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
])('%s: needs a layer: %s', (command, expected) => {
  for (const shell of ['sh', 'bash'] as const) expect(needsCaches([...SHELL_ARGUMENTS[shell], command])).toBe(expected);
});
