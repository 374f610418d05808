import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { compiledLauncher } from '../../launch/compiled-launcher.ts';
import { findLandlock } from './find-landlock.ts';

const launcher = await compiledLauncher(undefined);
const found = await findLandlock();
const works = !('problem' in found);
const [user = 'user'] = TEST_USERS;

const FILES = {
  'a.txt': 'A\n',
  'src/b.txt': 'B\n',
  '.env': 'TOKEN=workspace-secret\n',
  '.git/config': '[core]\n\tbare = false\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/hooks/pre-commit': '#!/bin/sh\n',
};
const policy = { deniesRead: (path: string) => path === '.env' || path.endsWith('/.env') };
const open = async (options: NonNullable<Parameters<typeof SandboxBench.open>[1]> = {}) =>
  await SandboxBench.open(user, { files: FILES, policy, ownHome: true, tier: 'landlock', ...options });

// Where the launcher is not built, perl confines commands.
const LAUNCHERS = [...(launcher === undefined ? [] : ['compiled']), 'scripts'];

describe.each(LAUNCHERS)('by the launcher "%s"', (kind) => {
  beforeAll(() => void vi.stubEnv('SYNAPSE_LAUNCHER', kind));
  afterAll(() => void vi.unstubAllEnvs());

  describe.runIf(works)('a command under Landlock', () => {
    it('works in the workspace, with folders of its own, and says what confines it', async () => {
      const bench = await open();
      const notes: string[] = [];
      const command = 'cat a.txt && echo new > src/new.txt && cat src/new.txt && echo x > "$TMPDIR/t" && echo y > ~/h && cat "$TMPDIR/t" ~/h && pwd';
      const ran = await bench.inside(command, { onNote: (note) => void notes.push(note) });
      expect(ran).toMatchObject({ stdout: `A\nnew\nx\ny\n${bench.workspace}\n`, stderr: '', exitCode: 0, sandbox: 'landlock', network: 'off' });
      expect(readFileSync(bench.at('src/new.txt'), 'utf8')).toBe('new\n');
      expect(notes.join()).toMatch(/^Confined by Landlock: .*permissions/u);
      const left = readdirSync(join(bench.state, 'runs'), { recursive: true, withFileTypes: true });
      expect(left.filter((entry) => !entry.isDirectory())).toEqual([]);
      await bench[Symbol.asyncDispose]();
      // So are its folders.
      expect(readdirSync(join(bench.state, 'runs'))).toEqual([]);
    });

    it('runs the usual programs', async () => {
      await using bench = await open();
      const node = `${process.execPath} -e 'process.stdout.write(require("node:child_process").execFileSync("echo", ["node"]))'`;
      const command = `perl -e 'print "perl\\n"'; ${node}; git --version | cut -c1-3; cat <<< here; cat <(echo substituted); ls`;
      const { stdout, stderr } = await bench.inside('', { argv: ['/bin/bash', '-c', command] });
      expect({ stdout, stderr }).toEqual({ stdout: 'perl\nnode\ngit\nhere\nsubstituted\na.txt\nsrc\n', stderr: '' });
    });
  });

  /** What a command must not be able to do: its text, and what its output has where it can. The control shows that it works without a sandbox. */
  const ATTACKS: ReadonlyArray<
    readonly [name: string, command: (bench: SandboxBench) => string, succeeded: (stdout: string, bench: SandboxBench) => boolean]
  > = [
    ['read a key in the home folder', ({ home }) => `cat ${home}/.ssh/id_ed25519`, (out) => out.includes('PRIVATE')],
    ['list the home folder', ({ home }) => `ls -a ${home}/.ssh`, (out) => out.includes('id_ed25519')],
    ['read a hidden file of the workspace', () => 'cat .env', (out) => out.includes('workspace-secret')],
    ['read it under another name', () => 'ln .env src/env && cat src/env', (out) => out.includes('workspace-secret')],
    ['read it through a link', () => 'ln -s ../.env src/l && cat src/l', (out) => out.includes('workspace-secret')],
    ['read it after moving it', () => 'mv .env src/x && cat src/x', (out) => out.includes('workspace-secret')],
    [
      'read it through the folder of another process',
      ({ workspace }) => `cat /proc/self/root${workspace}/.env`,
      (out) => out.includes('workspace-secret'),
    ],
    ['write a hook', () => 'echo evil > .git/hooks/pre-commit', (_, bench) => readFileSync(bench.at('.git/hooks/pre-commit'), 'utf8') === 'evil\n'],
    ['make a hook', () => 'echo evil > .git/hooks/post-commit', (_, bench) => existsSync(bench.at('.git/hooks/post-commit'))],
    [
      'change settings of git',
      () => 'echo "[core]hooksPath=/x" >> .git/config',
      (_, bench) => readFileSync(bench.at('.git/config'), 'utf8').includes('hooksPath'),
    ],
    [
      'replace settings of git',
      () => 'echo x > src/c && mv src/c .git/config',
      (_, bench) => readFileSync(bench.at('.git/config'), 'utf8') === 'x\n',
    ],
    ['replace the repository', () => 'mv .git src/g && mkdir .git', (_, bench) => !existsSync(bench.at('.git/config'))],
    ['empty a hook', () => 'perl -e \'truncate ".git/hooks/pre-commit", 0\'', (_, bench) => lstatSync(bench.at('.git/hooks/pre-commit')).size === 0],
    ['write outside', ({ outside }) => `echo x > ${outside}/new`, (_, { outside }) => existsSync(join(outside, 'new'))],
    [
      'write outside through a link',
      ({ outside }) => `ln -s ${outside} src/out; echo x > src/out/new`,
      (_, { outside }) => existsSync(join(outside, 'new')),
    ],
    [
      'empty a file outside',
      ({ outside }) => `perl -e 'truncate "${outside}/s.txt", 0'`,
      (_, { outside }) => lstatSync(join(outside, 's.txt')).size === 0,
    ],
    ['read outside', ({ outside }) => `cat ${outside}/s.txt`, (out) => out.includes('outside-secret')],
    ['link to outside', ({ outside }) => `ln ${outside}/s.txt src/s && cat src/s`, (out) => out.includes('outside-secret')],
    ['write to the shared temporary folder', ({ base }) => `echo x > ${base}/new`, (_, { base }) => existsSync(join(base, 'new'))],
    ['read variables of the one that started it', () => `tr '\\0' '\\n' < /proc/${process.pid}/environ`, (out) => out.includes('PATH=')],
    [
      'read memory of the one that started it',
      () => `perl -e 'open(my $f, "<", "/proc/${process.pid}/mem") and print "opened"'`,
      (out) => out === 'opened',
    ],
    ['list its open files', () => `ls -l /proc/${process.pid}/fd`, (out) => out.includes('->')],
    ['reach its root', () => `ls /proc/${process.pid}/root/`, (out) => out.includes('usr')],
    [
      'trace the one that started it',
      () => `perl -e 'print syscall(${process.arch === 'x64' ? 101 : 117}, 0x4206, ${process.pid}, 0, 0) == 0 ? "traced" : $!'`,
      (out) => out === 'traced',
    ],
    [
      'trace itself',
      () => `perl -e 'print syscall(${process.arch === 'x64' ? 101 : 117}, 0, 0, 0, 0) == 0 ? "traced" : $!'`,
      (out) => out === 'traced',
    ],
    [
      'limit the one that started it',
      () => `perl -e '$r = "\\0" x 16; print syscall(${process.arch === 'x64' ? 302 : 261}, ${process.pid}, 7, 0, $r) == 0 ? "read" : $!'`,
      (out) => out === 'read',
    ],
    ['make namespaces', () => 'unshare --user --map-root-user echo made', (out) => out === 'made\n'],
    [
      'use shared memory',
      () => `perl -e 'print syscall(${process.arch === 'x64' ? 29 : 194}, 0, 4096, 01600) >= 0 ? "made" : $!'`,
      (out) => out === 'made',
    ],
    ['make a socket for the network', () => `perl -MSocket -e 'print socket(my $s, PF_INET, SOCK_DGRAM, 0) ? "made" : $!'`, (out) => out === 'made'],
    [
      'make a pair that sends to names',
      () => `perl -MSocket -e 'print socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0) ? "made" : $!'`,
      (out) => out === 'made',
    ],
    ['make a program that runs as its owner', () => 'cp /bin/sh src/sh; chmod 4755 src/sh; test -u src/sh && echo made', (out) => out === 'made\n'],
    ['open the top folder', () => 'ls /', (out) => out.includes('usr')],
    ['read passwords', () => 'cat /etc/shadow', (out) => out.includes(':')],
    ['set a setting of the kernel', () => 'cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && echo set', (out) => out === 'set\n'],
    ['take a capability', () => 'grep -q "^CapEff:.0*$" /proc/self/status || echo has', (out) => out === 'has\n'],
  ];
  /** These take root without a sandbox. */
  const AS_ROOT = new Set(['read passwords', 'set a setting of the kernel', 'take a capability']);

  describe.runIf(works).each(ATTACKS.map(([name, command, succeeded]) => ({ name, command, succeeded })))(
    'under Landlock',
    ({ name, command, succeeded }) => {
      const prepared = async () => {
        const bench = await open();
        mkdirSync(join(bench.home, '.ssh'));
        writeFileSync(join(bench.home, '.ssh/id_ed25519'), 'PRIVATE KEY\n');
        return bench;
      };

      it(`a command cannot ${name}`, async () => {
        await using bench = await prepared();
        const { stdout } = await bench.inside(command(bench));
        expect(succeeded(stdout, bench), stdout).toBe(false);
      });

      it.skipIf(user !== 'root' && AS_ROOT.has(name))(`one without a sandbox can ${name}`, async () => {
        await using bench = await prepared();
        const { stdout, stderr } = await bench.outsideOf(command(bench));
        expect(succeeded(stdout, bench), stdout + stderr).toBe(true);
      });
    },
  );

  /** A system call as a command of perl: prints `done`, or nothing. The names of arguments stand for what is known then. */
  const call = (x64: number, arm64: number, ...rest: ReadonlyArray<number | string>): string =>
    `perl -e '$_ = ""; my ($n, $z, $b) = (pack("Q", 0), pack("QQ", 0, 0), " " x 64); print "done" if syscall(${[process.arch === 'x64' ? x64 : arm64, ...rest].join(', ')}) >= 0'`;

  /** What Landlock does not judge: the filter does. VICTIM is another process of the same user, OUTSIDE a file of theirs. */
  const FILTERED: ReadonlyArray<readonly [name: string, command: string]> = [
    ['choose the processors of another process', call(203, 122, 'VICTIM', 8, 'my $all = pack("Q", ~0)')],
    ['schedule another process', call(144, 119, 'VICTIM', 3, '$n')],
    ['set the parameters of another process', call(142, 118, 'VICTIM', '$n')],
    ['set the disk priority of another process', call(251, 30, 1, 'VICTIM', (2 << 13) | 7)],
    ['set the disk priority of a group', call(251, 30, 2, 0, (2 << 13) | 7)],
    ['set the priority of another process', call(141, 140, 0, 'VICTIM', 1)],
    ['set the priority of a group', call(141, 140, 1, 0, 1)],
    ['lower the limit that marks it', call(160, 164, 5, '$z')],
    ['lower it by the newer call', call(302, 261, 0, 5, '$z', 0)],
    ['list the attributes of a file outside', call(194, 11, 'OUTSIDE', 0, 0)],
    ['set the flags of a file that it may read', call(16, 29, 'do { open(F, "<", "a.txt"); fileno F }', 0x401c_5820, 'my $flags = "\\0" x 28')],
    ['list the connections of the machine', call(41, 198, 16, 3, 4)],
    ['hear of the devices of the machine', call(41, 198, 16, 3, 15)],
    ['watch the files of a file system', call(300, 262, 0x200, 0)],
  ];

  describe.runIf(works).each(TEST_USERS)('under Landlock, as %s', (name) => {
    it.each(FILTERED)('a command cannot %s, and one without a sandbox can', async (_, command) => {
      await using bench = await SandboxBench.open(name, { files: FILES, policy, tier: 'landlock' });
      using victim = bench.victim();
      const text = command.replaceAll('VICTIM', String(victim.pid)).replaceAll('OUTSIDE', `my $path = "${bench.outside}/s.txt"`);
      expect((await bench.inside(text)).stdout).toBe('');
      expect((await bench.outsideOf(text)).stdout).toBe('done');
    });

    it('a command sets its own priority and processors, and sees the interfaces', async () => {
      await using bench = await SandboxBench.open(name, { files: FILES, policy, tier: 'landlock' });
      const own = [
        call(203, 122, 0, 8, 'my $all = pack("Q", ~0)'),
        call(144, 119, 0, 3, '$n'),
        call(251, 30, 1, 0, (2 << 13) | 7),
        call(141, 140, 0, 0, 1),
      ];
      expect((await bench.inside([...own, call(41, 198, 16, 3, 0), 'nice -n 3 echo nice'].join('; '))).stdout).toBe(`${'done'.repeat(5)}nice\n`);
    });
  });

  describe.runIf(works)('under Landlock', () => {
    it('a command cannot end another process of the user, and can end its own', async () => {
      await using bench = await open();
      using victim = bench.victim();
      const alive = (): boolean => !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${victim.pid}/status`, 'utf8'));
      const { stdout } = await bench.inside(`kill -9 ${victim.pid}; sleep 30 & kill $! && echo own`);
      expect([stdout, alive()]).toEqual(['own\n', !('problem' in found) && found.abi >= 6]);
      await bench.outsideOf(`kill -9 ${victim.pid}`);
      await expect.poll(() => existsSync(`/proc/${victim.pid}`) && alive()).toBe(false);
    });

    it('a command cannot connect to a server of this machine, by TCP or by a Unix socket', async () => {
      await using bench = await open();
      const path = bench.at('src/s.sock');
      await using stack = new AsyncDisposableStack();
      const listen = async (at: string | number): Promise<number> => {
        const server = createServer((socket) => socket.end('reached'));
        stack.defer(() => void server.close());
        await new Promise<void>((resolve) => void server.listen(at, () => resolve()));
        const address = server.address();
        return address !== null && typeof address === 'object' ? address.port : 0;
      };
      const port = await listen(0);
      await listen(path);
      const tcp = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:${port}") and print <$s>'`;
      const unix = `perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new("${path}") and print <$s>'`;
      expect((await bench.inside(`${tcp}; ${unix}`)).stdout).toBe('');
      expect((await bench.outsideOf(`${tcp}; ${unix}`)).stdout).toBe('reachedreached');
    });

    it('a folder that is replaced by a link meanwhile leads nowhere', async () => {
      await using bench = await open();
      mkdirSync(join(bench.home, '.ssh'));
      writeFileSync(join(bench.home, '.ssh/id_ed25519'), 'PRIVATE KEY\n');
      // The names are read, and then one of them is a link: the rule for it is left out.
      const { landlockRules } = await import('./landlock-rules.ts');
      const { planText } = await import('./landlock-plan.ts');
      const { keepAnonymous, openAnonymous } = await import('../run-files.ts');
      const { keptFilter } = await import('../seccomp/call-filter.ts');
      const { CALLS_UNDER_LANDLOCK } = await import('../seccomp/landlock-calls.ts');
      if ('problem' in found) throw new Error(found.problem);
      symlinkSync(join(bench.home, '.ssh'), bench.at('swapped'));
      const { rules } = landlockRules(
        [
          { path: '/usr', level: 'read' },
          { path: '/proc', level: 'read' },
          { path: bench.workspace, level: 'read' },
          { path: bench.at('.env'), level: 'none' },
        ],
        (path) => (path === bench.workspace ? ['a.txt', 'swapped', '.env'] : undefined),
      );
      const run = async (given: typeof rules): Promise<string> => {
        using plan = openAnonymous(keepAnonymous(planText({ abi: found.abi, rules: given, network: false, processes: undefined, environment: {} })));
        using filter = openAnonymous(keptFilter(CALLS_UNDER_LANDLOCK) ?? 0);
        const argv = found.wrap(['/bin/sh', '-c', `cat a.txt swapped/id_ed25519 ${bench.home}/.ssh/id_ed25519`], 3, 4, bench.workspace);
        return (await bench.outsideOf('', { argv, handles: [plan, filter] })).stdout;
      };
      expect(rules.map(({ path }) => path)).toContain(bench.at('swapped'));
      expect(await run(rules)).toBe('A\n');
      expect(await run([...rules, { path: join(bench.home, '.ssh'), rights: ['read'] }])).toBe('A\nPRIVATE KEY\nPRIVATE KEY\n');
    });

    it('files that other programs execute are looked at when a command ends', async () => {
      await using bench = await open({ files: { 'a.txt': 'A\n', 'sub/x': '' } });
      const { quarantined } = await bench.inside(
        'mkdir -p sub/.git/hooks && printf "[core]\\n" > sub/.git/config && echo x > sub/.git/hooks/pre-commit && chmod +x sub/.git/hooks/pre-commit',
      );
      expect(quarantined.map(({ path }) => path)).toContain('sub/.git/hooks/pre-commit');
    });

    it('a command that only reads changes nothing, and a hidden file stays hidden', async () => {
      await using bench = await open();
      const { stdout } = await bench.inside('cat a.txt .env; echo x > src/new; echo x >> a.txt; rm src/b.txt', { mode: 'read' });
      expect([stdout, existsSync(bench.at('src/new')), existsSync(bench.at('src/b.txt')), readFileSync(bench.at('a.txt'), 'utf8')]).toEqual([
        'A\n',
        false,
        true,
        'A\n',
      ]);
    });

    it('a command that is refused something says why', async () => {
      await using bench = await open();
      const { hints } = await bench.inside('echo x > new.txt');
      expect(hints?.join()).toMatch(/nothing can be made or deleted directly in \., \.git/u);
      const offline = await bench.inside(`perl -MSocket -e 'socket(my $s, PF_INET, SOCK_STREAM, 0) or die $!'`);
      expect(offline.hints?.join()).toMatch(/has no sockets/u);
    });

    it('a command with the whole network has sockets for it', async () => {
      await using bench = await open({ policy: { ...policy, network: 'on' } });
      const ran = await bench.inside(`perl -MSocket -e 'print socket(my $s, PF_INET, SOCK_STREAM, 0) ? "made" : $!'`);
      expect(ran).toMatchObject({ stdout: 'made', network: 'on' });
    });

    it('a command that is to reach some hosts reaches none, and says so', async () => {
      await using bench = await open({ policy: { ...policy, network: { domains: ['example.com'] } } });
      const notes: string[] = [];
      const ran = await bench.inside(`perl -MSocket -e 'print socket(my $s, PF_INET, SOCK_STREAM, 0) ? "made" : "none"'`, {
        onNote: (note) => void notes.push(note),
      });
      expect(ran).toMatchObject({ stdout: 'none', network: 'off' });
      expect(notes.join()).toMatch(/cannot be held to some hosts/u);
    });

    it('a command says that there are no stored secrets only where it names one', async () => {
      const place = { scheme: 'https', host: 'api.example', port: 443, as: { kind: 'bearer' } } as const;
      const secret = {
        name: 'A_TOKEN',
        also: ['B_TOKEN'],
        texts: { KEY_ID: 'x' },
        places: [place],
        value: 'correct-horse-battery',
        added: '2026-01-01',
      };
      const edge = { exist: () => true, secrets: async () => [secret], opensLocal: () => false, denied: () => [] };
      await using bench = await open({ edge });
      const notesOf = async (command: string): Promise<string> => {
        const notes: string[] = [];
        await bench.inside(command, { onNote: (note) => void notes.push(note) });
        return notes.join('\n');
      };
      for (const command of ['cat a.txt', 'echo "$A_TOKENS" B_TOKEN_X']) expect(await notesOf(command)).not.toMatch(/secret|--network/u);
      for (const [command, name] of [
        ['curl -H "Authorization: $A_TOKEN" https://api.example', 'A_TOKEN'],
        ['echo "${B_TOKEN}"', 'B_TOKEN'],
        ['echo $KEY_ID', 'KEY_ID'],
      ] as const)
        expect(await notesOf(command)).toContain(`Without namespaces commands get no stored secrets, so this one has no ${name}.`);
    });

    it('a program that is missing is reported like everywhere', async () => {
      await using bench = await open();
      await expect(bench.inside('', { argv: ['/nowhere/program'] })).rejects.toThrow(/\/nowhere\/program/u);
    });
  });
});
