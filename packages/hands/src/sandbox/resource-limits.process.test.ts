import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { watchDisk } from './resource-watch.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { countedArgv, DEFAULT_RESOURCE_LIMITS, processLimits } from './resource-limits.ts';

const MIB = 2 ** 20;

it('puts limits in the units of a shell', () => {
  const limits = { ...DEFAULT_RESOURCE_LIMITS, memoryBytes: 1_000, cpuSeconds: 1.5, fileBytes: 513, processes: 6.5 };
  expect(processLimits(limits)).toEqual({ memoryKib: 1, cpuSeconds: 2, fileBlocks: 2 });
  const processLimit = execFileSync('/bin/sh', ['-c', 'ulimit -p 2>&- || ulimit -u'], { encoding: 'utf8' });
  const [program, ...args] = countedArgv(['/bin/sh', '-c', '{ ulimit -p || ulimit -u; } 2>&-'], limits);
  expect(processLimit).not.toBe('7\n');
  expect(execFileSync(program, args, { encoding: 'utf8' })).toBe('7\n');
});

// Every bomb here is small and ends by itself: they run on machines that others use.
describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('limits as %s', (user) => {
  // A copy in the workspace: where this checkout lies may be hidden in the sandbox.
  const node = (bench: SandboxBench, script: string): string => {
    if (!existsSync(bench.at('node'))) copyFileSync(process.execPath, bench.at('node'));
    return `./node -e '${script}'`;
  };

  // Fewer than a table of processes can be held to is for RLIMIT_NPROC, which does not bind root.
  it.each(user === 'root' ? [310] : [310, 150])('a fork bomb ends at the limit of %i, and takes all of it with it', async (processes) => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { processes } } });
    const bomb = node(
      bench,
      `
      const { spawn } = require("child_process"); let ok = 0, failed = 0, left = 400;
      const next = () => { if (left-- === 0) { console.log(ok > 100, failed > 0); process.exit(); }
        const c = spawn("sleep", ["20"], { stdio: "ignore" }); c.on("error", () => { failed++; next(); }); c.on("spawn", () => { ok++; next(); }); };
      next();`,
    );
    expect((await bench.inside(bomb)).stdout).toBe('true true\n');
    // The control: without the limit all are started.
    expect((await bench.outsideOf(bomb)).stdout).toBe('true false\n');
  });

  it('a memory bomb fails alone', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { memoryBytes: 100 * MIB } } });
    const bomb = `perl -e 'my $x = "x" x ${120 * MIB}; print "held\\n"'; echo after`;
    expect((await bench.inside(bomb)).stdout).toBe('after\n');
    expect((await bench.outsideOf(bomb)).stdout).toBe('held\nafter\n');
  });

  it('address space that is only reserved is free: runtimes reserve far more than they use', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { memoryBytes: 800 * MIB } } });
    const reserved = node(
      bench,
      'new ArrayBuffer(1); console.log(/VmPeak:\\s+(\\d+)/.exec(require("fs").readFileSync("/proc/self/status"))[1] > 800 * 1024)',
    );
    expect((await bench.inside(reserved)).stdout).toBe('true\n');
  });

  it('a file, and a private folder, cannot grow beyond the limit', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { fileBytes: MIB, temporaryBytes: 2 * MIB } } });
    const filler = 'for f in a b c d; do head -c 900000 /dev/zero > /tmp/$f || break; done 2>/dev/null; head -c 3000000 /dev/zero > big; echo end';
    expect((await bench.inside(filler)).stdout).toContain('end');
    expect(statSync(bench.at('big')).size).toBe(MIB);
    expect((await bench.inside('for f in a b c d; do head -c 900000 /dev/zero > /tmp/$f || echo full; done 2>/dev/null')).stdout).toContain('full');
  });

  it('no folder in memory is without limit', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { temporaryBytes: 8 * MIB } } });
    const fill = (folder: string): string => `head -c 40000000 /dev/zero > ${folder}/f 2>/dev/null && echo "${folder} holds all"; rm -f ${folder}/f;`;
    const { stdout } = await bench.inside(
      `${['/tmp', '/var/tmp', '/dev', '/dev/shm', '/run', '/home', '~'].map(fill).join(' ')} echo x > /dev/shm/x && echo > /dev/null && echo end`,
    );
    expect(stdout).toBe('end\n');
  });

  it('a loop ends with its processor time', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { cpuSeconds: 1 } } });
    expect(await bench.inside('while :; do :; done')).toMatchObject({ exitCode: 137, aborted: false });
  });

  it('none can be raised again', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { cpuSeconds: 100 } } });
    expect((await bench.inside('ulimit -t; ulimit -t 200 2>/dev/null || echo refused; ulimit -t')).stdout).toMatch(/^100\nrefused\n100\n$/u);
  });

  it('a disk that fills ends the command', async () => {
    // Nothing is as much as this, so that any disk counts as full.
    await using bench = await SandboxBench.open(user, { policy: { limits: { keepFreeBytes: Number.NaN } } });
    // Not hardened it begins at once, so that what is ended is a command that runs.
    await expect(bench.inside('sleep 3; echo x > went-on', { hardened: false })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('disk') as string,
    });
    expect(existsSync(bench.at('went-on'))).toBe(false);
  });

  it('a command goes on while there is space, whatever is to be kept', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { keepFreeBytes: Number.MAX_SAFE_INTEGER } } });
    // Half of what is free is the floor then; nothing here comes near it.
    expect(await bench.inside('sleep 0.5; echo fine')).toMatchObject({ stdout: 'fine\n' });
  });
});

it.each([
  ['bytes', { freeBytes: 10, freeInodes: 1e6, inodes: 1e6 }],
  ['inodes', { freeBytes: 1e12, freeInodes: 10, inodes: 1e6 }],
])('the watch over a disk ends a command that uses up %s', async (_, full) => {
  const spaces = [{ freeBytes: 1e12, freeInodes: 1e6, inodes: 1e6 }, full];
  using watch = watchDisk('/', 1e9, async () => spaces.shift() ?? full);
  await new Promise((resolve) => {
    watch.signal.addEventListener('abort', resolve);
  });
  expect(watch.signal.reason).toBeInstanceOf(SynapseError);
  expect(watch.signal.reason).toMatchObject({ code: 'unavailable' });
});
