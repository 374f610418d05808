import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../testing/git-repository.ts';
import { SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';

const isRoot = process.getuid?.() === 0;

/** A folder with a file that everybody may read, in a place of the machine; undefined where this user cannot make one. */
function secretIn(place: string): ({ readonly file: string } & Disposable) | undefined {
  try {
    const folder = mkdtempSync(join(place, 'synapse-view-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'file'), 'seen', { mode: 0o644 });
    return { file: join(folder, 'file'), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  } catch {
    // Tests do not run as root, or there is no such place.
    return undefined;
  }
}

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('as %s, a command does not see', (user) => {
  it.each(['/root', '/home', '/srv', '/var/lib', '/var/cache', '/mnt', '/media', '/boot', '/etc', '/var/tmp', tmpdir()])(
    'what is in %s',
    async (place) => {
      using secret = secretIn(place);
      if (secret === undefined || (place === '/root' && user === 'user')) return;
      await using bench = await SandboxBench.open(user);
      const script = `cat ${secret.file}; ls ${place} | grep ${basename(join(secret.file, '..'))}; cat /proc/1/root${secret.file} /proc/self/root${secret.file}`;
      expect((await bench.outsideOf(script)).stdout).toContain('seen');
      expect((await bench.inside(script)).stdout).toBe('');
    },
  );

  it.each(['/etc/shadow', '/etc/fstab', '/root/.bashrc', '/var/lib/dpkg/status', '/.dockerenv', '/sys/kernel/notes'])('%s', async (path) => {
    await using bench = await SandboxBench.open(user);
    const script = `test -r ${path} && echo seen; echo end`;
    const control = (await bench.outsideOf(script)).stdout;
    expect((await bench.inside(script)).stdout).toBe('end\n');
    if (existsSync(path) && user === 'root') expect(control).toBe('seen\nend\n');
  });

  it.skipIf(!isRoot)('sockets of the machine', async () => {
    using folder = secretIn('/run');
    if (folder === undefined) return;
    const path = join(folder.file, '..', 's.sock');
    await using server = createServer((socket) => socket.on('error', () => {}).end()).listen(path);
    await new Promise((resolve) => void server.once('listening', resolve));
    chmodSync(path, 0o777);
    await using bench = await SandboxBench.open(user);
    const script = `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); print connect(S,pack_sockaddr_un("${path}")) ? "reached" : "refused"'`;
    expect((await bench.outsideOf(script)).stdout).toBe('reached');
    expect((await bench.inside(script)).stdout).toBe('refused');
  });

  it('more than folders on the way to the workspace, and can change none of them', async () => {
    await using bench = await SandboxBench.open(user);
    const { stdout } = await bench.inside(
      `ls -d ${bench.base}/* /*; for at in / /usr /etc ${bench.base}; do (echo x > $at/new) 2>/dev/null && echo "wrote $at"; done`,
    );
    const lines = stdout.trim().split('\n');
    expect(lines).toContain(bench.workspace);
    for (const path of [bench.outside, bench.state, '/srv', '/mnt', '/media', '/boot']) expect(lines).not.toContain(path);
    // Tests have their workspaces in /tmp, which is memory of the command's own.
    expect(lines.filter((line) => line.startsWith('wrote'))).toEqual(bench.base.startsWith('/tmp/') ? [`wrote ${bench.base}`] : []);
    expect(existsSync(join(bench.base, 'new'))).toBe(false);
  });
});

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('as %s, a command sees', (user) => {
  it('what programs need', async () => {
    await using bench = await SandboxBench.open(user);
    const { stdout, stderr } = await bench.inside(
      'id -un >/dev/null && git --version && python3 -c "import ssl, zoneinfo, pwd, os; pwd.getpwuid(os.getuid()); ssl.create_default_context(); print(len(ssl.create_default_context().get_ca_certs()) > 10)" && date +%Z && nproc && echo x > ~/f && cat ~/f && echo y > /tmp/f && cat /tmp/f && echo end',
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/True[^]*x\ny\nend\n$/u);
  });

  it('what it is shown', async () => {
    await using shown = await SandboxBench.open(user);
    await using bench = await SandboxBench.open(user, { policy: { readable: [shown.outside] } });
    const { stdout } = await bench.inside(`cat ${shown.outside}/s.txt; echo x > ${shown.outside}/s.txt; ls ${shown.base}`);
    expect(stdout).toBe('outside-secretoutside\n');
  });

  it('what it is shown, but for what is denied there', async () => {
    await using shown = await SandboxBench.open(user);
    for (const path of ['a.txt', '.env', 'deep/.env']) mkdirSync(join(shown.outside, path, '..'), { recursive: true });
    for (const path of ['a.txt', '.env', 'deep/.env']) writeFileSync(join(shown.outside, path), path);
    symlinkSync('.env', join(shown.outside, 'link'));
    const policy = { judged: [shown.outside, '/', shown.home], deniesRead: (path: string) => path.endsWith('.env') };
    await using bench = await SandboxBench.open(user, { policy });
    const { stdout } = await bench.inside(`cd ${shown.outside}; cat a.txt .env deep/.env link; echo x > new; cat ${shown.state}/../state/* /srv/*`);
    expect(stdout).toBe('a.txt');
    expect((await bench.outsideOf(`cd ${shown.outside}; cat .env link`)).stdout).toBe('.env.env');
  });

  it('the workspace under its other names', async () => {
    await using bench = await SandboxBench.open(user, { files: { 'a.txt': 'a' }, rootNames: (base) => [join(base, 'link', 'workspace')] });
    symlinkSync(bench.base, join(bench.base, 'link'));
    expect((await bench.inside(`cat ${bench.base}/link/workspace/a.txt`)).stdout).toBe('a');
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('a workspace whose repository is outside', () => {
  it.each([
    ['a linked worktree', () => {}, 0],
    [
      'one that another is registered as',
      (worktree: string, main: string) => writeFileSync(join(main, '.git/worktrees/workspace/gitdir'), `${worktree}-other/.git\n`),
      128,
    ],
    ['any repository', (worktree: string, main: string) => writeFileSync(join(worktree, '.git'), `gitdir: ${main}/.git\n`), 128],
  ])('%s', async (_, change, exitCode) => {
    await using bench = await SandboxBench.open(isRoot ? 'root' : 'user');
    const main = join(bench.outside, 'main');
    mkdirSync(main);
    git(main, 'init', '-q');
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
    rmSync(bench.workspace, { recursive: true });
    git(main, 'worktree', 'add', '-q', bench.workspace);
    change(bench.workspace, main);
    await using again = await SandboxBench.open(isRoot ? 'root' : 'user', { at: realpathSync(bench.workspace) });
    const result = await again.inside(`git log --format=%s; code=$?; ls ${main}; exit $code`);
    expect(result).toMatchObject({ exitCode, stdout: exitCode === 0 ? 'first\n' : '' });
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('the workspace lies', () => {
  it.each(['/root', '/opt', '/srv', '/home', '/var/lib', '/mnt'].filter(() => isRoot))('in %s', async (place) => {
    const base = mkdtempSync(join(place, 'synapse-view-'));
    try {
      for (const name of ['w', 'beside']) mkdirSync(join(base, name));
      await using bench = await SandboxBench.open('root', { at: join(base, 'w') });
      const { stdout } = await bench.inside('pwd; echo x > f; cat f; ls ..');
      expect(stdout).toContain(`${join(base, 'w')}\nx\n`);
      // What is in /opt is shown.
      if (place !== '/opt') expect(stdout).toBe(`${join(base, 'w')}\nx\nw\n`);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
});
