import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { link, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const bubblewrap = await findBubblewrap();

describe.skipIf(bubblewrap === undefined).each(TEST_USERS)('what rules keep from commands, as %s', (user) => {
  it('masks files and folders that may not be read, wherever they move', async () => {
    await using bench = await SandboxBench.open(user, {
      files: { '.env': 'root-secret', 'a/b/.env': 'deep-secret', 'keys/x.pem': 'key-secret', 'a/b/open.txt': 'fine' },
      policy: { deniesRead: (path) => path.endsWith('.env') || path === 'keys' },
    });
    const script =
      'cat .env; cat a/b/.env; cat keys/x.pem; mv a moved; cat moved/b/.env; ln moved/b/.env hard && cat hard; cp -r moved copy; cat copy/b/.env; cat moved/b/open.txt';
    const result = await bench.inside(script);
    expect(result.stdout).toBe('fine');
    expect((await bench.outsideOf('cat .env moved/b/.env keys/x.pem')).stdout).toBe('root-secretdeep-secretkey-secret');
  });

  it('what is denied by its folder does not leave it under another name', async () => {
    await using bench = await SandboxBench.open(user, {
      files: { 'keys/x': 'key-secret', 'a/keys/deep': 'deep-secret', 'a/open.txt': 'fine' },
      policy: { deniesRead: (path) => /^(?:a\/)?keys\/./u.test(path) },
    });
    const steps = ['mv keys k2; mv a/keys a/k2; mv a b; cat a/open.txt', 'cat k2/x b/keys/deep a/k2/deep b/k2/deep'];
    const outputs: string[] = [];
    for (const step of steps) outputs.push((await bench.inside(step)).stdout);
    expect(outputs).toEqual(['fine', '']);
    expect(readFileSync(bench.at('a/keys/deep'), 'utf8')).toBe('deep-secret');
    // Outside the same works.
    await bench.outsideOf(steps[0] ?? '');
    expect((await bench.outsideOf('cat k2/x')).stdout).toBe('key-secret');
  });

  it.each([undefined, true])('what may not be written stays as it is, also where other protected places may be (%s)', async (allowProtected) => {
    const files = { 'locked/x': '1', 'locked/deep/y': '1', 'a/only.lock': '1', 'a/b': '1' };
    await using bench = await SandboxBench.open(user, {
      files,
      policy: {
        ...(allowProtected === undefined ? {} : { allowProtected }),
        deniesRead: (path) => path === 'locked/deep/y',
        deniesWrite: (path) => path.startsWith('locked/') || path.startsWith('later/') || path.endsWith('.lock'),
      },
    });
    const script = [
      'echo 2 > locked/x; echo 2 > locked/new; echo 2 > locked/deep/new; echo 2 > a/only.lock; rm -rf locked a/only.lock; mv locked l2',
      'mv a/only.lock a/c; echo 2 > a/b; mkdir later; echo 2 > later/x; echo 2 > new.lock; cat locked/x locked/deep/y',
    ].join('\n');
    const { stdout, quarantined } = await bench.inside(script);
    expect(stdout).toBe('1');
    expect(readFileSync(bench.at('locked/x'), 'utf8') + readFileSync(bench.at('locked/deep/y'), 'utf8')).toBe('11');
    expect(readdirSync(bench.at('locked')).toSorted()).toEqual(['deep', 'x']);
    expect(readdirSync(bench.at('locked/deep'))).toEqual(['y']);
    expect(readFileSync(bench.at('a/only.lock'), 'utf8')).toBe('1');
    expect(readFileSync(bench.at('a/b'), 'utf8')).toBe('2\n');
    expect(quarantined.map(({ path, reason, action }) => `${reason} ${path} ${action}`).toSorted()).toEqual([
      'denied later moved',
      'denied new.lock moved',
    ]);
    expect(readdirSync(bench.workspace).toSorted()).toEqual(['a', 'locked']);
    await bench.outsideOf('echo 2 > locked/x');
    expect(readFileSync(bench.at('locked/x'), 'utf8')).toBe('2\n');
  });

  it('a rule against all writing makes the workspace read-only', async () => {
    await using bench = await SandboxBench.open(user, { files: { a: '1' }, policy: { deniesWrite: () => true } });
    expect((await bench.inside('cat a; echo 2 > a; echo 2 > b')).stdout).toBe('1');
    expect(readdirSync(bench.workspace)).toEqual(['a']);
  });

  it('masks and locks by its real name what rules deny by the name of a linked folder', async () => {
    await using bench = await SandboxBench.open(user, {
      files: { 'data/key': 'linked-secret', 'conf/private/deep': 'deep-secret', 'conf/open': 'fine', 'kept/x': '1', 'far/x': '1' },
      policy: {
        deniesRead: (path) => /^(?:secrets|vault|config\/private)\/.|^machine\/hostname$/u.test(path),
        deniesWrite: (path) => /^(?:locked|later)\/./u.test(path),
      },
    });
    for (const [target, name] of [
      ['data', 'secrets'],
      [bench.outside, 'vault'],
      ['conf', 'config'],
      ['kept', 'locked'],
      // The others are in places that a command does not see anyway.
      ['/etc', 'machine'],
    ] as const)
      await symlink(target, bench.at(name));
    const script = `cat secrets/key data/key config/private/deep conf/private/deep vault/s.txt machine/hostname /etc/hostname config/open; echo 2 > locked/x; echo 2 > kept/x; mv secrets s; cat s/key`;
    const result = await bench.inside(`${script}; ln -s far later; echo 2 > later/x; ls -d /`);
    expect(result.stdout).toBe('fine/\n');
    expect(result.quarantined).toEqual([]);
    expect(readFileSync(bench.at('kept/x'), 'utf8')).toBe('1');
    // A link that a command made itself gives no name to what was there before.
    expect(readFileSync(bench.at('far/x'), 'utf8')).toBe('2\n');
    expect((await bench.outsideOf('cat s/key config/private/deep')).stdout).toBe('linked-secretdeep-secret');
    expect((await bench.outsideOf('cat machine/hostname')).stdout).not.toBe('');
  });

  it('takes away what programs execute also where it is kept from reading', async () => {
    await using bench = await SandboxBench.open(user, { policy: { deniesRead: (path) => path.endsWith('.npmrc') } });
    const { quarantined } = await bench.inside('echo script-shell=./x > .npmrc');
    expect(quarantined).toMatchObject([{ path: '.npmrc', reason: 'protected', action: 'moved' }]);
  });

  it('masks a file that may not be read under all its names', async () => {
    await using bench = await SandboxBench.open(user, {
      files: { '.env': 'root-secret', 'sub/open': 'fine' },
      policy: { deniesRead: (path) => path.endsWith('.env') },
    });
    await link(bench.at('.env'), bench.at('sub/other'));
    const script = 'cat .env sub/other sub/open; mv sub/other x; cat x';
    expect((await bench.inside(script)).stdout).toBe('fine');
    expect((await bench.outsideOf(script)).stdout).toContain('root-secret');
  });

  it('masks what a denied link leads to', async () => {
    await using bench = await SandboxBench.open(user, {
      files: { 'real/secret.txt': 'inner-secret' },
      policy: { deniesRead: (path) => path.endsWith('.env') },
    });
    await symlink('real/secret.txt', bench.at('.env'));
    await symlink('/etc/hostname', bench.at('b.env'));
    await symlink('/nowhere', bench.at('c.env'));
    const script = 'cat .env real/secret.txt /etc/hostname; echo end';
    expect((await bench.inside(script)).stdout).toBe('end\n');
    expect((await bench.outsideOf(script)).stdout).toContain('inner-secretinner-secret');
  });

  it.each([
    ['.env', '/bin/bash'],
    ['x.pem', '/etc/passwd'],
    ['.aws', '/usr'],
    ['.kube', '..'],
    ['.kube', '.'],
    ['.aws', '/'],
    ['.aws', '/tmp'],
    ['.env', '../outside'],
  ])('runs on although the denied link %s leads to %s', async (name, target) => {
    const names = /^(?:\.env|x\.pem|\.aws|\.kube)(?:\/|$)/u;
    await using bench = await SandboxBench.open(user, { files: { a: 'fine' }, policy: { deniesRead: (path) => names.test(path) } });
    await symlink(target, bench.at(name));
    const result = await bench.inside('cat a; bash -c "id -u" > b; cat b');
    expect([result.exitCode, result.stdout.slice(0, 4), result.stderr]).toEqual([0, 'fine', '']);
  });

  it('masks what a denied link leads to in a folder that a person shows, and only there', async () => {
    const shown = mkdtempSync(join(tmpdir(), 'synapse-shown-'));
    try {
      chmodSync(shown, 0o755);
      writeFileSync(join(shown, 'key'), 'shown-secret');
      writeFileSync(join(shown, 'open'), 'fine');
      await using bench = await SandboxBench.open(user, { policy: { readable: [shown], deniesRead: (path) => path.endsWith('.env') } });
      await symlink(join(shown, 'key'), bench.at('.env'));
      expect((await bench.inside(`cat .env ${shown}/key ${shown}/open`)).stdout).toBe('fine');
      expect((await bench.outsideOf('cat .env')).stdout).toBe('shown-secret');
    } finally {
      rmSync(shown, { recursive: true });
    }
  });

  it('names the link because of which a file is hidden', async () => {
    await using bench = await SandboxBench.open(user, { files: { a: '1' }, policy: { deniesRead: (path) => path === '.env' } });
    await symlink('a', bench.at('.env'));
    const { hints } = await bench.inside('cat a');
    expect(hints).toEqual([expect.stringContaining('a is hidden from commands because the link .env leads to it')]);
  });
});
