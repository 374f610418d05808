import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { SandboxBench } from '../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** npm alone waits 60 seconds and more where nobody tells it not to; a loaded machine is slow to start it. */
const SOON_MS = 30_000;

describe.skipIf((await findBubblewrap()) === undefined)('without a network, at once and with the reason', () => {
  it.each([
    ['npm', 'npm install --no-audit --no-fund left-pad', { 'package.json': '{}' }],
    ['npx', 'npx --yes no-such-program-here', { 'package.json': '{}' }],
    ['pip', 'python3 -m pip install --target t left-pad', {}],
    [
      'cargo',
      'cargo build',
      { 'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nno-such-crate-x = "1"\n', 'src/lib.rs': '' },
    ],
    ['git', 'git clone https://example.com/x.git', {}],
    ['curl', 'curl -sS https://example.com | head -1', {}],
    ['go', 'go mod download', { 'go.mod': 'module x\nrequire example.com/y v1.0.0\n' }],
  ])('%s', { timeout: 60_000 }, async (program, command, files) => {
    if (!has(program)) return;
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user', {
      ownHome: program === 'npm' || program === 'npx',
      files,
    });
    const { hints, durationMs, stderr, stdout } = await bench.inside(command, { signal: AbortSignal.timeout(55_000) });
    expect(hints, stdout + stderr).toEqual([expect.stringContaining('no network here') as string]);
    expect(durationMs).toBeLessThan(SOON_MS);
  });

  it('pnpm works where the project names another version of it', { timeout: 60_000 }, async () => {
    if (!has('pnpm')) return;
    const files = { 'package.json': '{ "name": "x", "packageManager": "pnpm@9.0.0", "scripts": { "hello": "echo hello" } }' };
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user', { ownHome: true, files });
    const { stdout, stderr } = await bench.inside('pnpm run hello', { signal: AbortSignal.timeout(55_000) });
    expect(stdout, stderr).toContain('hello\n');
  });

  it('npm warns about none of the settings', { timeout: 60_000 }, async () => {
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user', {
      ownHome: true,
      files: { 'package.json': '{ "name": "x", "scripts": { "hello": "echo hello" } }' },
    });
    const { stdout, stderr } = await bench.inside('npm run hello', { signal: AbortSignal.timeout(55_000) });
    expect(stdout).toContain('hello\n');
    expect(stderr).not.toMatch(/Unknown env config "(?:manage-|fetch-|prefer-|update-)/u);
  });

  it('a command that asks for an answer gets none', async () => {
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user');
    const { stdout, durationMs } = await bench.inside('read x || echo none; cat; cat < /dev/tty || echo "no terminal"');
    expect(stdout).toBe('none\nno terminal\n');
    expect(durationMs).toBeLessThan(SOON_MS);
  });
});
