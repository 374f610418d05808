import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { systemProgram } from '../launch/system-program.ts';
import { filteredArchitecture, openCallFilter } from '../sandbox/seccomp/call-filter.ts';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';
import { SandboxBench, TEST_USERS, runShell, type Ran } from '../testing/sandbox-bench.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { confinedArgv, type ConfinedStart, NOT_PROVEN, programMounts } from './git-sandbox.ts';
import type { ProcessOutcome } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';

const bubblewrap = await findBubblewrap();
afterEach(() => void vi.unstubAllEnvs());

/** Runs a shell where git would run. */
async function inside(bench: SandboxBench, command: string, proven?: PinnedDirectory): Promise<Ran<ProcessOutcome>> {
  using top = bench.confinement.openDirectory([]);
  const start: ConfinedStart = {
    bubblewrap: systemProgram('bwrap') ?? '',
    asRoot: bench.user === 'root',
    programs: programMounts(),
    mounts: [
      { kind: 'read-only', path: bench.workspace },
      { kind: 'writable', path: '/run/stand-in', source: bench.state },
    ],
    proofs: [{ path: bench.workspace, directory: proven ?? top }],
    filtered: filteredArchitecture() !== undefined,
    cwd: bench.workspace,
  };
  using filter = openCallFilter();
  const handles = [...start.proofs.map(({ directory }) => directory), ...(filter === undefined ? [] : [filter])];
  const argv = confinedArgv(start, ['/bin/sh', '-c', command]);
  return await runShell((request) => bench.processes.run({ ...request, argv, handles }), bench.confinement, '');
}

describe.skipIf(bubblewrap === undefined).each(TEST_USERS)('what runs where git runs, as %s', (user) => {
  it('reads the workspace, and writes to its stand-in', async () => {
    await using bench = await SandboxBench.open(user, { files: { 'a.txt': 'content' } });
    const { stdout, exitCode } = await inside(
      bench,
      'cat a.txt; git --version | cut -d" " -f1; echo x > /run/stand-in/new && ls /run/stand-in; for f in /proc/self/fd/*; do [ -d "$f" ] && echo "$f"; done; :',
    );
    expect({ stdout, exitCode }).toEqual({ stdout: 'contentgit\nnew\n', exitCode: 0 });
  });

  /** Each must work outside, else its failure inside would prove nothing. */
  const denied: ReadonlyArray<readonly [string, (bench: SandboxBench, victim: number, port: number) => string]> = [
    ['reading beside the workspace', ({ outside }) => `cat ${outside}/s.txt`],
    ['reading by a link', ({ outside }) => `cat "${outside}/../workspace/out/s.txt"`],
    ['the settings of the system', () => 'cat /etc/passwd'],
    ['writing in the workspace', () => 'echo x > a.txt'],
    ['writing beside it', ({ outside }) => `echo x > ${outside}/f`],
    ['other processes', (_, victim) => `kill -0 ${victim}`],
    ['the environment of other processes', (_, victim) => `grep -q PATH /proc/${victim}/environ`],
    ['the network', (_bench, _victim, port) => `perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:${port}") or exit 1'`],
    ['a namespace of its own', () => 'unshare -U true'],
    ['devices', () => 'head -c 1 /dev/zero > /dev/null'],
    ['the home folder', () => 'ls -d /home'],
  ];

  it.each(denied)('is denied %s', async (_name, command) => {
    await using bench = await SandboxBench.open(user, { files: { 'a.txt': 'content' } });
    symlinkSync(bench.outside, bench.at('out'));
    using victim = bench.victim();
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const script = `(${command(bench, victim.pid, port)}) > /dev/null 2>&1 && echo worked || echo refused`;
    try {
      expect((await inside(bench, script)).stdout).toBe('refused\n');
      expect((await bench.outsideOf(script)).stdout).toBe('worked\n');
    } finally {
      server.close();
    }
  });

  it('changes nothing of the kernel, which lets root do so without any capability', async () => {
    await using bench = await SandboxBench.open(user);
    const script = 'find /proc /sys -type f -writable 2>/dev/null | grep -v ^/proc/self/ | head -n 5; echo end';
    expect((await inside(bench, script)).stdout).toBe('end\n');
    expect((await bench.outsideOf('[ -w /proc/self/comm ] && echo control')).stdout).toBe('control\n');
  });

  it('does not start in a folder that is another than the one that is held', async () => {
    await using bench = await SandboxBench.open(user, { files: { 'sub/a.txt': 'x' } });
    using other = bench.confinement.openDirectory(['sub']);
    expect(await inside(bench, 'echo ran', other)).toMatchObject({ exitCode: NOT_PROVEN, stdout: '' });
    expect(await inside(bench, 'echo ran')).toMatchObject({ exitCode: 0, stdout: 'ran\n' });
  });
});

describe.skipIf(bubblewrap === undefined)('git in the sandbox', () => {
  const TOOLS = ['git_status', 'git_diff', 'git_log', 'git_show'] as const;

  const REPOSITORIES: ReadonlyArray<readonly [string, (folder: string, outside: string) => string]> = [
    ['a plain one', (folder) => (initRepository(folder, { 'a.txt': 'a' }), folder)],
    ['a name with spaces, colons and quotes', (folder) => (initRepository(join(folder, 'a "b": c'), { 'a.txt': 'a' }), join(folder, 'a "b": c'))],
    [
      'a linked worktree of one outside',
      (_, outside) => {
        initRepository(join(outside, 'main'), { 'a.txt': 'a' });
        git(join(outside, 'main'), 'worktree', 'add', '-q', '-b', 'feature', join(outside, 'linked'));
        return join(outside, 'linked');
      },
    ],
    [
      'a submodule, with one of its own, as the workspace',
      (_, outside) => {
        for (const name of ['leaf', 'library', 'main']) initRepository(join(outside, name), { 'a.txt': name });
        git(join(outside, 'library'), 'submodule', 'add', '-q', join(outside, 'leaf'), 'leaf');
        commitAll(join(outside, 'library'), 'leaf');
        git(join(outside, 'main'), 'submodule', 'add', '-q', join(outside, 'library'), 'library');
        git(join(outside, 'main'), 'submodule', 'update', '--init', '--recursive', '-q');
        return join(outside, 'main/library');
      },
    ],
    [
      'one with a submodule',
      (folder, outside) => {
        initRepository(join(outside, 'library'), { 'a.txt': 'a' });
        initRepository(folder, { 'b.txt': 'b' });
        git(folder, 'submodule', 'add', '-q', join(outside, 'library'), 'library');
        commitAll(folder, 'library');
        write(folder, { 'library/c.txt': 'c' });
        commitAll(join(folder, 'library'), 'moved');
        return folder;
      },
    ],
    [
      'one that borrows objects, by a relative list',
      (folder) => {
        initRepository(join(folder, 'one'), { 'a.txt': 'a' });
        git(folder, 'clone', '-q', '--shared', join(folder, 'one'), 'two');
        write(folder, { 'two/.git/objects/info/alternates': '../../../one/.git/objects\n' });
        return folder;
      },
    ],
    [
      'one whose branches are linked from elsewhere inside',
      (folder) => {
        initRepository(folder, { 'a.txt': 'a' });
        renameSync(join(folder, '.git/refs'), join(folder, 'refs'));
        symlinkSync('../refs', join(folder, '.git/refs'));
        return folder;
      },
    ],
    [
      'ids by SHA-256',
      (folder) => (git(folder, 'init', '-q', '--object-format=sha256'), write(folder, { a: '1' }), commitAll(folder, 'first'), folder),
    ],
    ['a split index', (folder) => (initRepository(folder, { 'a.txt': 'a' }), git(folder, 'update-index', '--split-index'), folder)],
  ];

  it.each(REPOSITORIES)('answers as it does without: %s', async (name, make) => {
    await using place = await temporaryHands();
    const workspace = make(place.folder, place.outside);
    // The repository is a folder of the workspace there.
    const path = name.includes('relative list') ? 'two' : '.';
    write(join(workspace, path), { 'new.txt': 'new' });
    const answers = { required: [] as unknown[], none: [] as unknown[] };
    for (const sandbox of ['required', 'none'] as const) {
      await using hands = await createHands({ workspace, stateFolder: join(place.folder, '../state-2'), sandbox });
      for (const tool of TOOLS) {
        const result = await hands.call(tool, tool === 'git_show' ? { revision: 'HEAD', path: path === '.' ? '.' : `${path}/a.txt` } : { path });
        answers[sandbox].push(result.ok ? result.output : result.error.message);
        if (result.ok) expect(result.meta.sandbox).toBe(sandbox === 'none' ? 'none' : 'bubblewrap');
      }
    }
    expect(answers.required).toEqual(answers.none);
    expect(answers.none[0]).toContain('new.txt');
  });

  it('follows what the person ignores and calls binary', async () => {
    await using place = await temporaryHands();
    vi.stubEnv('HOME', place.outside);
    vi.stubEnv('XDG_CONFIG_HOME', '');
    write(place.outside, { '.gitconfig': '[core]\n\texcludesFile = ~/ignored\n', ignored: '*.log\n', '.config/git/attributes': '*.txt binary\n' });
    initRepository(place.folder, { 'a.txt': 'a' });
    write(place.folder, { 'a.txt': 'b', 'x.log': 'x' });
    await using hands = await createHands({ workspace: place.folder, stateFolder: join(place.folder, '../state-2'), sandbox: 'required' });
    expect(await hands.call('git_status')).toMatchObject({ ok: true, data: { untracked: [] }, meta: { sandbox: 'bubblewrap' } });
    expect(await hands.call('git_diff')).toMatchObject({ data: { files: [{ path: 'a.txt', binary: true }] } });
  });

  it('a live commit in a linked worktree is refused with how and where to make it, and can be made there', async () => {
    await using place = await temporaryHands();
    const main = join(realpathSync(place.outside), 'main');
    initRepository(main, { 'a.txt': 'a' });
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@example.com'],
    ] as const)
      git(main, 'config', key, value);
    git(main, 'worktree', 'add', '-q', '-b', 'feature', join(place.outside, 'linked'));
    const open = { policy: { allow: ['exec(*)', 'write(**)'] }, stateFolder: join(place.folder, '../state-2'), sandbox: 'required' as const };
    await using linked = await createHands({ ...open, workspace: join(place.outside, 'linked') });
    for (const command of ['echo b > a.txt; git commit -qam second', 'echo b > a.txt; git stash']) {
      const refused = await linked.call('run_command', { command, live: true });
      expect(refused).toMatchObject({ ok: true, meta: { completion: 'failed' } });
      expect(JSON.stringify(refused)).toContain(`leave live and background out. If it fails then too, a person stages and commits, or opens ${main}`);
    }
    await using home = await createHands({ ...open, workspace: main });
    const made = await home.call('run_command', {
      command: 'git worktree add -q -b side side && cd side && echo b > a.txt && git commit -qam second',
    });
    expect(made).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(git(main, 'log', '--format=%s', 'side', '--').split('\n')[0]).toBe('second');
  });

  it('runs without where it could not show all of a repository outside, unless one is required', async () => {
    await using place = await temporaryHands();
    initRepository(join(place.outside, 'lender'), { 'a.txt': 'a' });
    git(place.outside, 'clone', '-q', '--shared', join(place.outside, 'lender'), 'main');
    git(join(place.outside, 'main'), 'worktree', 'add', '-q', '-b', 'feature', join(place.outside, 'linked'));
    const open = { workspace: join(place.outside, 'linked'), stateFolder: join(place.folder, '../state-2') };
    await using auto = await createHands({ ...open, sandbox: 'auto' });
    expect(await auto.call('git_log')).toMatchObject({ ok: true, data: { commits: [{ message: 'first' }] }, meta: { sandbox: 'none' } });
    await using required = await createHands({ ...open, sandbox: 'required' });
    expect(await required.call('git_log')).toMatchObject({
      ok: false,
      error: { code: 'unavailable', message: expect.stringContaining('cannot show') },
    });
  });
});

describe('where there is no sandbox for git', () => {
  it('runs hardened, and not at all where one is required', async () => {
    await using place = await temporaryHands();
    initRepository(place.folder, { 'a.txt': 'a' });
    // A git that lies where the sandbox has no programs.
    const programs = join(place.outside, 'programs');
    mkdirSync(programs);
    writeFileSync(join(programs, 'git'), readFileSync(systemProgram('git') ?? '/usr/bin/git'), { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env['PATH'] ?? ''}`);
    const open = { workspace: place.folder, stateFolder: join(place.folder, '../state-2') };
    await using auto = await createHands({ ...open, sandbox: 'auto' });
    expect(await auto.call('git_log')).toMatchObject({ ok: true, meta: { sandbox: 'none' } });
    await using required = await createHands({ ...open, sandbox: 'required' });
    expect(await required.call('git_log')).toMatchObject({ ok: false, error: { code: 'unavailable', message: 'No sandbox for git works here.' } });
  });
});
